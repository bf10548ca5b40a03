package lua

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	glua "github.com/yuin/gopher-lua"
)

// stringFormat is string.format of Lua 5.3. Width and precision have at most
// two digits, as there.
func stringFormat(_ *call, l *glua.LState) int {
	format := l.CheckString(1)
	var out strings.Builder
	arg := 1
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			out.WriteByte(format[i])
			continue
		}
		i++
		if i < len(format) && format[i] == '%' {
			out.WriteByte('%')
			continue
		}
		start := i
		for i < len(format) && strings.IndexByte("-+ #0", format[i]) >= 0 {
			i++
		}
		flagsEnd := i
		for i < len(format) && (format[i] >= '0' && format[i] <= '9' || format[i] == '.') {
			i++
		}
		if i >= len(format) || !validSpec(format[flagsEnd:i]) {
			l.RaiseError("invalid format '%%%s'", format[start:min(i+1, len(format))])
		}
		arg++
		if arg > l.GetTop() {
			l.RaiseError("bad argument #%d to 'format' (no value)", arg)
		}
		formatOne(l, &out, format[start:i], format[i], arg)
	}
	l.Push(glua.LString(out.String()))
	return 1
}

// validSpec tells whether a width and precision have at most two digits each.
func validSpec(spec string) bool {
	width, precision, dot := strings.Cut(spec, ".")
	return len(width) <= 2 && len(precision) <= 2 && (!dot || !strings.Contains(precision, "."))
}

// formatOne writes argument arg by the conversion verb; spec is what stood
// between it and the percent sign.
func formatOne(l *glua.LState, out *strings.Builder, spec string, verb byte, arg int) {
	switch verb {
	case 'd', 'i':
		fmt.Fprintf(out, "%"+spec+"d", checkInteger(l, arg))
	case 'u', 'x', 'X', 'o':
		v := "%" + spec + string(verb)
		if verb == 'u' {
			v = "%" + spec + "d"
		}
		fmt.Fprintf(out, v, uint64(checkInteger(l, arg)))
	case 'c':
		out.WriteString(pad(spec, string([]byte{byte(checkInteger(l, arg))})))
	case 'e', 'E', 'f', 'F', 'g', 'G', 'a', 'A':
		formatFloat(out, spec, verb, float64(l.CheckNumber(arg)))
	case 's':
		text := l.ToStringMeta(l.Get(arg)).String()
		if _, precision, ok := strings.Cut(spec, "."); ok {
			n, _ := strconv.Atoi(precision)
			text = text[:min(n, len(text))]
		}
		out.WriteString(pad(spec, text))
	case 'q':
		out.WriteString(quote(l.Get(arg)))
	default:
		l.RaiseError("invalid conversion '%%%s%c' to 'format'", spec, verb)
	}
}

// pad pads text with spaces to the width in spec.
func pad(spec, text string) string {
	spec, _, _ = strings.Cut(spec, ".")
	width, _ := strconv.Atoi(strings.TrimLeft(spec, "-+ #0"))
	if len(text) >= width {
		return text
	}
	space := strings.Repeat(" ", width-len(text))
	if strings.Contains(spec, "-") {
		return text + space
	}
	return space + text
}

func formatFloat(out *strings.Builder, spec string, verb byte, f float64) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		text := strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(f, 'g', -1, 64), "+"))
		if math.IsNaN(f) {
			text = "nan"
		}
		out.WriteString(pad(spec, text))
		return
	}
	switch verb {
	case 'a':
		verb = 'x'
	case 'A':
		verb = 'X'
	case 'g', 'G':
		if !strings.Contains(spec, ".") {
			spec += ".6"
		}
	}
	fmt.Fprintf(out, "%"+spec+string(verb), f)
}

// quote writes a value as a Lua literal.
func quote(v glua.LValue) string {
	s, ok := v.(glua.LString)
	if !ok {
		return v.String()
	}
	var out strings.Builder
	out.WriteByte('"')
	for i := range len(s) {
		switch b := s[i]; {
		case b == '"' || b == '\\' || b == '\n':
			out.WriteByte('\\')
			out.WriteByte(b)
		case b == '\r':
			out.WriteString(`\13`)
		case b == 0 && (i+1 >= len(s) || s[i+1] < '0' || s[i+1] > '9'):
			out.WriteString(`\0`)
		case b < 32 || b == 127:
			fmt.Fprintf(&out, `\%03d`, b)
		default:
			out.WriteByte(b)
		}
	}
	out.WriteByte('"')
	return out.String()
}
