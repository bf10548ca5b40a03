package syntax

import (
	"fmt"

	"github.com/yuin/gopher-lua/ast"
)

// maxDepth bounds the nesting of blocks and expressions, as LUAI_MAXCCALLS
// does in Lua 5.3.
const maxDepth = 200

// Parse reads a chunk. Any error is an *Error.
func Parse(src string) (stmts []ast.Stmt, err error) {
	defer func() {
		if v := recover(); v != nil {
			e, ok := v.(*Error)
			if !ok {
				panic(v)
			}
			stmts, err = nil, e
		}
	}()
	p := &parser{lex: newLexer(src)}
	p.tok, p.ahead = p.lex.next(), p.lex.next()
	stmts = p.block()
	if p.tok.kind != kindEOF {
		p.fail("unexpected %s", p.tok.shown())
	}
	return stmts, nil
}

// parser is a recursive descent parser with one token of look-ahead beyond
// the current one. It raises *Error by panic.
type parser struct {
	lex        *lexer
	tok, ahead token
	last       int // line of the token before tok
	depth      int
}

func (p *parser) fail(format string, args ...any) {
	panic(&Error{Line: p.tok.line, Column: p.tok.column, Message: fmt.Sprintf(format, args...)})
}

func (p *parser) advance() token {
	t := p.tok
	p.last = t.line
	p.tok = p.ahead
	if p.tok.kind != kindEOF {
		p.ahead = p.lex.next()
	}
	return t
}

// accept takes the current token if it is of kind k.
func (p *parser) accept(k kind) bool {
	if p.tok.kind != k {
		return false
	}
	p.advance()
	return true
}

func (p *parser) expect(k kind) token {
	if p.tok.kind != k {
		p.fail("'%s' expected near %s", k, p.tok.shown())
	}
	return p.advance()
}

// expectClosing is expect for a word that ends what began at line.
func (p *parser) expectClosing(k, opening kind, line int) token {
	if p.tok.kind != k && line != p.tok.line {
		p.fail("'%s' expected (to close '%s' at line %d) near %s", k, opening, line, p.tok.shown())
	}
	return p.expect(k)
}

func (p *parser) enter() {
	if p.depth++; p.depth > maxDepth {
		p.fail("nested too deeply")
	}
}

func (p *parser) leave() { p.depth-- }

// at sets a node's line and returns it.
func at[N ast.PositionHolder](n N, line int) N {
	n.SetLine(line)
	return n
}

// until sets a node's first and last line.
func until[N ast.PositionHolder](n N, line, last int) N {
	n.SetLine(line)
	n.SetLastLine(last)
	return n
}
