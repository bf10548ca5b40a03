package lua

import (
	"errors"
	"fmt"
	"io/fs"
	"math"

	glua "github.com/yuin/gopher-lua"
)

// message is the text of an error as scripts see it: without the path that
// package os adds, since the script gave that path itself.
func message(err error) string {
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		return pathError.Err.Error()
	}
	return err.Error()
}

// stringArg returns argument n as text; numbers are accepted, as everywhere
// in Lua.
func stringArg(l *glua.LState, n int) (string, error) {
	switch v := l.Get(n).(type) {
	case glua.LString:
		return string(v), nil
	case glua.LNumber:
		return v.String(), nil
	}
	return "", fmt.Errorf("argument %d: string expected, got %s", n, typeName(l, n))
}

// integerArg returns argument n as a whole number.
func integerArg(l *glua.LState, n int) (int64, error) {
	v, ok := l.Get(n).(glua.LNumber)
	if !ok {
		return 0, fmt.Errorf("argument %d: integer expected, got %s", n, typeName(l, n))
	}
	i, ok := toInteger(float64(v))
	if !ok {
		return 0, fmt.Errorf("argument %d: number has no integer representation", n)
	}
	return i, nil
}

// tableArg returns argument n as a table.
func tableArg(l *glua.LState, n int) (*glua.LTable, error) {
	t, ok := l.Get(n).(*glua.LTable)
	if !ok {
		return nil, fmt.Errorf("argument %d: table expected, got %s", n, typeName(l, n))
	}
	return t, nil
}

func typeName(l *glua.LState, n int) string {
	if n > l.GetTop() {
		return "no value"
	}
	return l.Get(n).Type().String()
}

// toInteger converts a float without a fraction.
func toInteger(f float64) (int64, bool) {
	if f != math.Trunc(f) || f < math.MinInt64 || f >= math.MaxInt64 {
		return 0, false
	}
	return int64(f), true
}

// checkInteger is integerArg for functions that raise errors.
func checkInteger(l *glua.LState, n int) int64 {
	if s, ok := l.Get(n).(glua.LString); ok {
		if f, ok := parseNumber(string(s)); ok {
			if i, ok := toInteger(f); ok {
				return i
			}
		}
	}
	i, err := integerArg(l, n)
	if err != nil {
		l.RaiseError("bad argument #%s", err.Error()[len("argument "):])
	}
	return i
}

// optInteger is checkInteger with a default for nil.
func optInteger(l *glua.LState, n int, def int64) int64 {
	if l.Get(n) == glua.LNil {
		return def
	}
	return checkInteger(l, n)
}
