// Package syntax reads Lua 5.3 source and gives the syntax tree that
// gopher-lua, a Lua 5.1 machine, compiles. What 5.3 added to the language is
// expressed in 5.1: the operators //, &, |, ~, << and >> become calls of
// global functions whose names are the operators themselves (Operators), and
// the escapes \x, \z and \u{} are resolved here.
//
// Numbers are double-precision floats. A whole number that a float cannot
// hold exactly is refused where it is written, because a program that
// contains one relies on 64-bit integers.
package syntax

import "fmt"

// Operators are the names of the global functions that the parser's output
// calls for operators that Lua 5.1 lacks, with the metamethod of each.
// OpBitNot takes one argument, the others two.
var Operators = map[string]string{
	OpIntDiv: "__idiv", OpBitAnd: "__band", OpBitOr: "__bor", OpBitXor: "__bxor",
	OpShiftLeft: "__shl", OpShiftRight: "__shr", OpBitNot: "__bnot",
}

// The names of the operator functions.
const (
	OpIntDiv     = "//"
	OpBitAnd     = "&"
	OpBitOr      = "|"
	OpBitXor     = "~"
	OpShiftLeft  = "<<"
	OpShiftRight = ">>"
	OpBitNot     = "~x"
)

// Error is a place where the source is not Lua 5.3, or needs something that
// cannot run here. Line and Column count from 1, columns in bytes.
type Error struct {
	Line, Column int
	Message      string
}

func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}
