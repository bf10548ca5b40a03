package syntax

import "github.com/yuin/gopher-lua/ast"

// block reads statements up to a word that ends a block.
func (p *parser) block() []ast.Stmt {
	p.enter()
	defer p.leave()
	stmts := []ast.Stmt{}
	for {
		switch p.tok.kind {
		case kindEOF, "end", "else", "elseif", "until":
			return stmts
		case ";":
			p.advance()
		case "return":
			return append(stmts, p.returnStmt())
		default:
			stmts = append(stmts, p.statement())
		}
	}
}

func (p *parser) returnStmt() ast.Stmt {
	s := at(&ast.ReturnStmt{}, p.advance().line)
	switch p.tok.kind {
	case kindEOF, "end", "else", "elseif", "until", ";":
	default:
		s.Exprs = p.exprList()
	}
	p.accept(";")
	switch p.tok.kind {
	case kindEOF, "end", "else", "elseif", "until":
	default:
		p.fail("'return' must be the last statement of its block, found %s", p.tok.shown())
	}
	return s
}

func (p *parser) statement() ast.Stmt {
	line := p.tok.line
	switch p.tok.kind {
	case "if":
		return p.ifStmt()
	case "while":
		p.advance()
		cond := p.expr()
		p.expect("do")
		body := p.block()
		end := p.expectClosing("end", "while", line)
		return until(&ast.WhileStmt{Condition: cond, Stmts: body}, line, end.line)
	case "do":
		p.advance()
		body := p.block()
		end := p.expectClosing("end", "do", line)
		return until(&ast.DoBlockStmt{Stmts: body}, line, end.line)
	case "for":
		return p.forStmt()
	case "repeat":
		p.advance()
		body := p.block()
		p.expectClosing("until", "repeat", line)
		cond := p.expr()
		return until(&ast.RepeatStmt{Condition: cond, Stmts: body}, line, cond.Line())
	case "function":
		return p.functionStmt()
	case "local":
		return p.localStmt()
	case "::":
		p.advance()
		name := p.expect(kindName).text
		p.expect("::")
		return at(&ast.LabelStmt{Name: name}, line)
	case "break":
		p.advance()
		return at(&ast.BreakStmt{}, line)
	case "goto":
		p.advance()
		return at(&ast.GotoStmt{Label: p.expect(kindName).text}, line)
	default:
		return p.exprStmt()
	}
}

func (p *parser) ifStmt() ast.Stmt {
	line := p.tok.line
	var first, current *ast.IfStmt
	for first == nil || p.tok.kind == "elseif" {
		s := at(&ast.IfStmt{}, p.advance().line)
		s.Condition = p.expr()
		p.expect("then")
		s.Then = p.block()
		if first == nil {
			first = s
		} else {
			current.Else = []ast.Stmt{s}
		}
		current = s
	}
	if p.accept("else") {
		current.Else = p.block()
	}
	first.SetLastLine(p.expectClosing("end", "if", line).line)
	return first
}

func (p *parser) forStmt() ast.Stmt {
	line := p.advance().line
	first := p.expect(kindName).text
	if p.accept("=") {
		s := &ast.NumberForStmt{Name: first, Init: p.expr()}
		p.expect(",")
		s.Limit = p.expr()
		if p.accept(",") {
			s.Step = p.expr()
		}
		p.expect("do")
		s.Stmts = p.block()
		return until(s, line, p.expectClosing("end", "for", line).line)
	}
	s := &ast.GenericForStmt{Names: []string{first}}
	for p.accept(",") {
		s.Names = append(s.Names, p.expect(kindName).text)
	}
	if p.tok.kind != "in" {
		p.fail("'=' or 'in' expected near %s", p.tok.shown())
	}
	p.advance()
	s.Exprs = p.exprList()
	p.expect("do")
	s.Stmts = p.block()
	return until(s, line, p.expectClosing("end", "for", line).line)
}

func (p *parser) functionStmt() ast.Stmt {
	line := p.advance().line
	t := p.expect(kindName)
	name := &ast.FuncName{Func: at(&ast.IdentExpr{Value: t.text}, t.line)}
	for p.accept(".") {
		key := p.expect(kindName)
		name.Func = at(&ast.AttrGetExpr{
			Object: name.Func,
			Key:    at(&ast.StringExpr{Value: key.text}, key.line),
		}, key.line)
	}
	if p.accept(":") {
		name = &ast.FuncName{Receiver: name.Func, Method: p.expect(kindName).text}
	}
	body := p.funcBody(p.tok.line)
	return until(&ast.FuncDefStmt{Name: name, Func: body}, line, body.LastLine())
}

func (p *parser) localStmt() ast.Stmt {
	line := p.advance().line
	if p.accept("function") {
		name := p.expect(kindName).text
		body := p.funcBody(p.tok.line)
		return until(&ast.LocalAssignStmt{Names: []string{name}, Exprs: []ast.Expr{body}}, line, body.LastLine())
	}
	s := at(&ast.LocalAssignStmt{Exprs: []ast.Expr{}}, line)
	for {
		s.Names = append(s.Names, p.expect(kindName).text)
		if p.tok.kind == "<" {
			p.fail("attributes such as <const> are Lua 5.4")
		}
		if !p.accept(",") {
			break
		}
	}
	if p.accept("=") {
		s.Exprs = p.exprList()
		// "local f = function" must not see itself, unlike "local function f",
		// and gopher-lua tells the two apart by the shape of the tree alone.
		if f, ok := s.Exprs[0].(*ast.FunctionExpr); ok && len(s.Names) == 1 && len(s.Exprs) == 1 {
			s.Exprs[0] = at(&ast.LogicalOpExpr{
				Operator: "and",
				Lhs:      at(&ast.TrueExpr{}, f.Line()),
				Rhs:      f,
			}, f.Line())
		}
	}
	return s
}

// exprStmt reads an assignment or a call.
func (p *parser) exprStmt() ast.Stmt {
	e, bare := p.suffixedExpr()
	if p.tok.kind != "=" && p.tok.kind != "," {
		call, ok := e.(*ast.FuncCallExpr)
		if !ok || bare {
			p.fail("syntax error near %s", p.tok.shown())
		}
		return at(&ast.FuncCallStmt{Expr: call}, e.Line())
	}
	s := at(&ast.AssignStmt{}, e.Line())
	for {
		_, name := e.(*ast.IdentExpr)
		_, index := e.(*ast.AttrGetExpr)
		if bare || !name && !index {
			p.fail("cannot assign to this expression near %s", p.tok.shown())
		}
		s.Lhs = append(s.Lhs, e)
		if !p.accept(",") {
			break
		}
		e, bare = p.suffixedExpr()
	}
	p.expect("=")
	s.Rhs = p.exprList()
	return s
}
