package lua

import (
	"strconv"
	"strings"
	"time"

	glua "github.com/yuin/gopher-lua"
)

var osBindings = []binding{
	{"os.clock", "", "Returns the seconds since the call began.", "different: SIPI gives the process's CPU time", osClock},
	{"os.date", "[format], [time]", "Formats a time (default now) with the specifiers of C's strftime, or returns a table for `*t`. `!` before the format means UTC.", "same", osDate},
	{"os.getenv", "name", "Returns an environment variable that `IIIFD_LUA_ENV` names, else nil.", "different: SIPI gives every variable", osGetenv},
}

func osClock(c *call, l *glua.LState) int {
	l.Push(glua.LNumber(time.Since(c.started).Seconds()))
	return 1
}

func osGetenv(c *call, l *glua.LState) int {
	if v, ok := c.settings.Env[l.CheckString(1)]; ok {
		l.Push(glua.LString(v))
	} else {
		l.Push(glua.LNil)
	}
	return 1
}

func osDate(_ *call, l *glua.LState) int {
	format := l.OptString(1, "%c")
	t := time.Now()
	if l.Get(2) != glua.LNil {
		t = time.Unix(checkInteger(l, 2), 0)
	}
	if utc, ok := strings.CutPrefix(format, "!"); ok {
		t, format = t.UTC(), utc
	}
	if strings.HasPrefix(format, "*t") {
		l.Push(dateTable(l, t))
		return 1
	}
	var out strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			out.WriteByte(format[i])
			continue
		}
		i++
		var text string
		ok := false
		if i < len(format) {
			text, ok = dateField(t, format[i])
		}
		if !ok {
			l.RaiseError("bad argument #1 to 'date' (invalid conversion specifier '%%%s')", format[i:min(i+1, len(format))])
		}
		out.WriteString(text)
	}
	l.Push(glua.LString(out.String()))
	return 1
}

func dateTable(l *glua.LState, t time.Time) *glua.LTable {
	out := l.NewTable()
	for name, v := range map[string]int{
		"year": t.Year(), "month": int(t.Month()), "day": t.Day(), "hour": t.Hour(), "min": t.Minute(),
		"sec": t.Second(), "wday": int(t.Weekday()) + 1, "yday": t.YearDay(),
	} {
		out.RawSetString(name, glua.LNumber(v))
	}
	out.RawSetString("isdst", glua.LBool(t.IsDST()))
	return out
}

// dateLayouts are the specifiers that package time can write.
var dateLayouts = map[byte]string{
	'Y': "2006", 'y': "06", 'm': "01", 'd': "02", 'e': "_2", 'H': "15", 'I': "03", 'M': "04", 'S': "05",
	'p': "PM", 'a': "Mon", 'A': "Monday", 'b': "Jan", 'B': "January", 'j': "002",
	'c': "Mon Jan _2 15:04:05 2006", 'x': "01/02/06", 'X': "15:04:05", 'Z': "MST",
	'D': "01/02/06", 'F': "2006-01-02", 'T': "15:04:05", 'R': "15:04", 'z': "-0700", 'h': "Jan",
}

func dateField(t time.Time, specifier byte) (string, bool) {
	switch specifier {
	case '%':
		return "%", true
	case 'n':
		return "\n", true
	case 't':
		return "\t", true
	case 'w':
		return strconv.Itoa(int(t.Weekday())), true
	}
	layout, ok := dateLayouts[specifier]
	if !ok {
		return "", false
	}
	return t.Format(layout), true
}
