package syntax

import "github.com/yuin/gopher-lua/ast"

// binary are the operators' left and right priorities (Lua 5.3, 3.4.8); a
// right one below the left makes the operator associate to the right.
var binary = map[kind]struct{ left, right int }{
	"or": {1, 1}, "and": {2, 2},
	"<": {3, 3}, ">": {3, 3}, "<=": {3, 3}, ">=": {3, 3}, "~=": {3, 3}, "==": {3, 3},
	"|": {4, 4}, "~": {5, 5}, "&": {6, 6}, "<<": {7, 7}, ">>": {7, 7},
	"..": {9, 8}, "+": {10, 10}, "-": {10, 10},
	"*": {11, 11}, "/": {11, 11}, "//": {11, 11}, "%": {11, 11},
	"^": {14, 13},
}

const unaryPriority = 12

func (p *parser) exprList() []ast.Expr {
	list := []ast.Expr{p.expr()}
	for p.accept(",") {
		list = append(list, p.expr())
	}
	return list
}

func (p *parser) expr() ast.Expr { return p.subExpr(0) }

// subExpr reads an expression whose operators bind tighter than limit.
func (p *parser) subExpr(limit int) ast.Expr {
	p.enter()
	defer p.leave()
	left := p.unaryExpr()
	for {
		op := p.tok.kind
		prio, ok := binary[op]
		if !ok || prio.left <= limit {
			return left
		}
		p.advance()
		left = binaryExpr(op, left, p.subExpr(prio.right))
	}
}

func (p *parser) unaryExpr() ast.Expr {
	switch op := p.tok.kind; op {
	case "-", "not", "#", "~":
		p.advance()
		e := p.subExpr(unaryPriority)
		switch op {
		case "-":
			return at(&ast.UnaryMinusOpExpr{Expr: e}, e.Line())
		case "not":
			return at(&ast.UnaryNotOpExpr{Expr: e}, e.Line())
		case "#":
			return at(&ast.UnaryLenOpExpr{Expr: e}, e.Line())
		default:
			return operatorCall(OpBitNot, e.Line(), e)
		}
	default:
		return p.simpleExpr()
	}
}

func binaryExpr(op kind, l, r ast.Expr) ast.Expr {
	switch op {
	case "or", "and":
		return at(&ast.LogicalOpExpr{Operator: string(op), Lhs: l, Rhs: r}, l.Line())
	case "<", ">", "<=", ">=", "~=", "==":
		return at(&ast.RelationalOpExpr{Operator: string(op), Lhs: l, Rhs: r}, l.Line())
	case "..":
		return at(&ast.StringConcatOpExpr{Lhs: l, Rhs: r}, l.Line())
	case "+", "-", "*", "/", "%", "^":
		return at(&ast.ArithmeticOpExpr{Operator: string(op), Lhs: l, Rhs: r}, l.Line())
	default:
		return operatorCall(string(op), l.Line(), l, r)
	}
}

// operatorCall is the call that stands for an operator Lua 5.1 lacks.
func operatorCall(name string, line int, args ...ast.Expr) ast.Expr {
	return at(&ast.FuncCallExpr{
		Func:      at(&ast.IdentExpr{Value: name}, line),
		Args:      args,
		AdjustRet: true,
	}, line)
}

func (p *parser) simpleExpr() ast.Expr {
	t := p.tok
	switch t.kind {
	case kindNumber:
		p.advance()
		return at(&ast.NumberExpr{Value: t.text}, t.line)
	case kindString:
		p.advance()
		return at(&ast.StringExpr{Value: t.text}, t.line)
	case "nil":
		p.advance()
		return at(&ast.NilExpr{}, t.line)
	case "true":
		p.advance()
		return at(&ast.TrueExpr{}, t.line)
	case "false":
		p.advance()
		return at(&ast.FalseExpr{}, t.line)
	case "...":
		p.advance()
		return at(&ast.Comma3Expr{}, t.line)
	case "{":
		return p.table()
	case "function":
		p.advance()
		return p.funcBody(t.line)
	default:
		e, _ := p.suffixedExpr()
		return e
	}
}

// suffixedExpr reads a name or a parenthesis with its indices and calls.
// bare tells that it is a parenthesis alone, which is neither a variable nor
// a statement.
func (p *parser) suffixedExpr() (e ast.Expr, bare bool) {
	p.enter()
	defer p.leave()
	bare = p.tok.kind == "("
	e = p.primaryExpr()
	for ; ; bare = false {
		line := e.Line()
		switch p.tok.kind {
		case ".":
			p.advance()
			key := p.expect(kindName)
			e = at(&ast.AttrGetExpr{Object: e, Key: at(&ast.StringExpr{Value: key.text}, key.line)}, line)
		case "[":
			p.advance()
			key := p.expr()
			p.expect("]")
			e = at(&ast.AttrGetExpr{Object: e, Key: key}, line)
		case ":":
			p.advance()
			method := p.expect(kindName).text
			e = at(&ast.FuncCallExpr{Method: method, Receiver: e, Args: p.args()}, line)
		case "(", "{", kindString:
			e = at(&ast.FuncCallExpr{Func: e, Args: p.args()}, line)
		default:
			return e, bare
		}
	}
}

func (p *parser) primaryExpr() ast.Expr {
	t := p.tok
	switch t.kind {
	case kindName:
		p.advance()
		return at(&ast.IdentExpr{Value: t.text}, t.line)
	case "(":
		p.advance()
		e := p.expr()
		p.expectClosing(")", "(", t.line)
		switch inner := e.(type) {
		case *ast.Comma3Expr:
			inner.AdjustRet = true
		case *ast.FuncCallExpr:
			inner.AdjustRet = true
		}
		e.SetLine(t.line)
		return e
	default:
		p.fail("unexpected %s", t.shown())
		return nil
	}
}

func (p *parser) args() []ast.Expr {
	t := p.tok
	switch t.kind {
	case kindString:
		p.advance()
		return []ast.Expr{at(&ast.StringExpr{Value: t.text}, t.line)}
	case "{":
		return []ast.Expr{p.table()}
	default:
	}
	p.expect("(")
	if p.accept(")") {
		return []ast.Expr{}
	}
	list := p.exprList()
	p.expectClosing(")", "(", t.line)
	return list
}

func (p *parser) table() ast.Expr {
	open := p.expect("{")
	t := at(&ast.TableExpr{Fields: []*ast.Field{}}, open.line)
	for p.tok.kind != "}" {
		t.Fields = append(t.Fields, p.field())
		if !p.accept(",") && !p.accept(";") {
			break
		}
	}
	p.expectClosing("}", "{", open.line)
	return t
}

func (p *parser) field() *ast.Field {
	if p.tok.kind == kindName && p.ahead.kind == "=" {
		key := p.advance()
		p.advance()
		return &ast.Field{Key: at(&ast.StringExpr{Value: key.text}, key.line), Value: p.expr()}
	}
	if p.accept("[") {
		key := p.expr()
		p.expect("]")
		p.expect("=")
		return &ast.Field{Key: key, Value: p.expr()}
	}
	return &ast.Field{Value: p.expr()}
}

// funcBody reads from the parameters to "end".
func (p *parser) funcBody(line int) *ast.FunctionExpr {
	p.expect("(")
	params := &ast.ParList{Names: []string{}}
	for p.tok.kind != ")" {
		if p.accept("...") {
			params.HasVargs = true
			break
		}
		params.Names = append(params.Names, p.expect(kindName).text)
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	body := p.block()
	end := p.expectClosing("end", "function", line)
	return until(&ast.FunctionExpr{ParList: params, Stmts: body}, line, end.line)
}
