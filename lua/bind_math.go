package lua

import (
	"math"
	"math/rand/v2"

	glua "github.com/yuin/gopher-lua"
)

var mathBindings = []binding{
	{"math.atan", "y, [x]", "Returns the arc tangent of y/x in radians, in the quadrant that the signs of both tell; x is 1 if left out.", "same", mathAtan},
	{"math.log", "x, [base]", "Returns the logarithm, natural without a base.", "same", mathLog},
	{"math.random", "[m], [n]", "Returns a random number in [0, 1), a whole one in [1, m] or in [m, n].", "same", mathRandom},
	{"math.randomseed", "x", "Makes the following random numbers of this call repeatable.", "same", mathRandomSeed},
	{"math.tointeger", "x", "Returns x if it is a number without a fraction, else nil.", "same", mathToInteger},
	{"math.type", "x", "Returns \"integer\" for a number without a fraction, \"float\" for another, nil for no number.", "different: numbers are floats, so 1.0 is an integer here", mathType},
	{"math.ult", "m, n", "Compares whole numbers as unsigned ones.", "same", mathUlt},
}

// mathConstants are the fields of math that are no functions.
var mathConstants = []field{
	{"math.maxinteger", "2^53, the largest number up to which all integers are exact.", "different: 2^63-1 in SIPI"},
	{"math.mininteger", "-2^53.", "different: -2^63 in SIPI"},
	{"math.huge", "Infinity.", "same"},
	{"math.pi", "π.", "same"},
}

func mathAtan(_ *call, l *glua.LState) int {
	l.Push(glua.LNumber(math.Atan2(float64(l.CheckNumber(1)), float64(l.OptNumber(2, 1)))))
	return 1
}

func mathLog(_ *call, l *glua.LState) int {
	x := float64(l.CheckNumber(1))
	result := math.Log(x)
	if l.Get(2) != glua.LNil {
		switch base := float64(l.CheckNumber(2)); base {
		case 2:
			result = math.Log2(x)
		case 10:
			result = math.Log10(x)
		default:
			result /= math.Log(base)
		}
	}
	l.Push(glua.LNumber(result))
	return 1
}

func mathRandom(c *call, l *glua.LState) int {
	if c.random == nil {
		c.random = rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	}
	if l.GetTop() == 0 {
		l.Push(glua.LNumber(c.random.Float64()))
		return 1
	}
	low, high := int64(1), checkInteger(l, 1)
	if l.GetTop() > 1 {
		low, high = high, checkInteger(l, 2)
	}
	if low > high || high-low < 0 || high-low == math.MaxInt64 {
		l.RaiseError("bad argument to 'random' (interval is empty or too large)")
	}
	l.Push(glua.LNumber(low + c.random.Int64N(high-low+1)))
	return 1
}

func mathRandomSeed(c *call, l *glua.LState) int {
	c.random = rand.New(rand.NewPCG(math.Float64bits(float64(l.CheckNumber(1))), 0))
	return 0
}

func mathToInteger(_ *call, l *glua.LState) int {
	result := glua.LNil
	if n, ok := l.Get(1).(glua.LNumber); ok {
		if _, whole := toInteger(float64(n)); whole {
			result = n
		}
	}
	l.Push(result)
	return 1
}

func mathType(_ *call, l *glua.LState) int {
	result := glua.LNil
	if n, ok := l.CheckAny(1).(glua.LNumber); ok {
		result = glua.LString("float")
		if _, whole := toInteger(float64(n)); whole {
			result = glua.LString("integer")
		}
	}
	l.Push(result)
	return 1
}

func mathUlt(_ *call, l *glua.LState) int {
	l.Push(glua.LBool(uint64(checkInteger(l, 1)) < uint64(checkInteger(l, 2))))
	return 1
}

var bit32Bindings = []binding{
	{"bit32.band", "...", "Bitwise and of 32-bit numbers.", "", bit32Fold(math.MaxUint32, func(a, b uint32) uint32 { return a & b })},
	{"bit32.bor", "...", "Bitwise or.", "", bit32Fold(0, func(a, b uint32) uint32 { return a | b })},
	{"bit32.bxor", "...", "Bitwise exclusive or.", "", bit32Fold(0, func(a, b uint32) uint32 { return a ^ b })},
	{"bit32.bnot", "x", "Bitwise complement.", "", bit32Fold(math.MaxUint32, func(_, b uint32) uint32 { return ^b })},
	{"bit32.lshift", "x, n", "Moves n bits to the left, to the right for negative n.", "", bit32Shift(1)},
	{"bit32.rshift", "x, n", "Moves n bits to the right, filled with zeros.", "", bit32Shift(-1)},
}

func bit32Fold(start uint32, f func(a, b uint32) uint32) func(*call, *glua.LState) int {
	return func(_ *call, l *glua.LState) int {
		result := start
		for i := 1; i <= l.GetTop(); i++ {
			result = f(result, uint32(checkInteger(l, i)))
		}
		l.Push(glua.LNumber(result))
		return 1
	}
}

func bit32Shift(sign int64) func(*call, *glua.LState) int {
	return func(_ *call, l *glua.LState) int {
		x, n := int64(uint32(checkInteger(l, 1))), sign*checkInteger(l, 2)
		result := uint32(0)
		if n > -32 && n < 32 {
			result = uint32(shift(x, n))
		}
		l.Push(glua.LNumber(result))
		return 1
	}
}
