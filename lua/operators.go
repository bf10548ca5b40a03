package lua

import (
	"math"

	glua "github.com/yuin/gopher-lua"

	"example.com/iiifd/lua/syntax"
)

// arithmetic returns the function behind a binary operator that Lua 5.1
// lacks.
func arithmetic(op string) func(*call, *glua.LState) int {
	return func(_ *call, l *glua.LState) int {
		a, b := l.Get(1), l.Get(2)
		x, okA := operand(a)
		y, okB := operand(b)
		if okA && okB {
			l.Push(compute(l, op, x, y))
			return 1
		}
		for _, v := range []glua.LValue{a, b} {
			if mt := l.GetMetaField(v, syntax.Operators[op]); mt != glua.LNil {
				l.Push(mt)
				l.Push(a)
				l.Push(b)
				l.Call(2, 1)
				return 1
			}
		}
		bad := a
		if okA {
			bad = b
		}
		what := "bitwise operation"
		if op == syntax.OpIntDiv {
			what = "arithmetic"
		}
		l.RaiseError("attempt to perform %s on a %s value", what, bad.Type().String())
		return 0
	}
}

func bitNot(_ *call, l *glua.LState) int {
	v := l.Get(1)
	if x, ok := operand(v); ok {
		l.Push(glua.LNumber(^bits(l, x)))
		return 1
	}
	mt := l.GetMetaField(v, syntax.Operators[syntax.OpBitNot])
	if mt == glua.LNil {
		l.RaiseError("attempt to perform bitwise operation on a %s value", v.Type().String())
	}
	l.Push(mt)
	l.Push(v)
	l.Call(1, 1)
	return 1
}

func operand(v glua.LValue) (float64, bool) {
	switch v := v.(type) {
	case glua.LNumber:
		return float64(v), true
	case glua.LString:
		f, ok := parseNumber(string(v))
		return f, ok
	}
	return 0, false
}

func compute(l *glua.LState, op string, x, y float64) glua.LNumber {
	if op == syntax.OpIntDiv {
		if y == 0 {
			return glua.LNumber(x / y)
		}
		return glua.LNumber(math.Floor(x / y))
	}
	a, b := bits(l, x), bits(l, y)
	switch op {
	case syntax.OpBitAnd:
		return glua.LNumber(a & b)
	case syntax.OpBitOr:
		return glua.LNumber(a | b)
	case syntax.OpBitXor:
		return glua.LNumber(a ^ b)
	case syntax.OpShiftLeft:
		return glua.LNumber(shift(a, b))
	}
	return glua.LNumber(shift(a, -b))
}

// bits is a number as 64 bits. A result beyond 2^53 loses its low bits when
// it becomes a number again.
func bits(l *glua.LState, f float64) int64 {
	i, ok := toInteger(f)
	if !ok {
		l.RaiseError("number has no integer representation")
	}
	return i
}

// shift moves to the left, or logically to the right for negative n.
func shift(v, n int64) int64 {
	switch {
	case n <= -64 || n >= 64:
		return 0
	case n >= 0:
		return v << uint(n)
	}
	return int64(uint64(v) >> uint(-n))
}
