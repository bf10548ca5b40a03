package lua

import "github.com/yuin/gopher-lua/ast"

// block judges all names in a list of statements. Assigning to a name
// defines it and is not judged.
func (c *checker) block(stmts []ast.Stmt) {
	for _, s := range stmts {
		c.statement(s)
	}
}

func (c *checker) statement(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		for _, target := range s.Lhs {
			if name, ok := target.(*ast.IdentExpr); ok {
				c.declare(name.Value)
			}
			if a, ok := target.(*ast.AttrGetExpr); ok && chain(target) == "" {
				c.expr(a.Object)
				c.expr(a.Key)
			}
		}
		c.exprs(s.Rhs)
	case *ast.LocalAssignStmt:
		c.declare(s.Names...)
		c.exprs(s.Exprs)
	case *ast.FuncCallStmt:
		c.expr(s.Expr)
	case *ast.DoBlockStmt:
		c.block(s.Stmts)
	case *ast.WhileStmt:
		c.expr(s.Condition)
		c.block(s.Stmts)
	case *ast.RepeatStmt:
		c.block(s.Stmts)
		c.expr(s.Condition)
	case *ast.IfStmt:
		c.expr(s.Condition)
		c.block(s.Then)
		c.block(s.Else)
	case *ast.NumberForStmt:
		c.declare(s.Name)
		c.exprs([]ast.Expr{s.Init, s.Limit, s.Step})
		c.block(s.Stmts)
	case *ast.GenericForStmt:
		c.declare(s.Names...)
		c.exprs(s.Exprs)
		c.block(s.Stmts)
	case *ast.FuncDefStmt:
		if name, ok := s.Name.Func.(*ast.IdentExpr); ok {
			c.declare(name.Value)
		}
		c.expr(s.Func)
	case *ast.ReturnStmt:
		c.exprs(s.Exprs)
	}
}

func (c *checker) exprs(list []ast.Expr) {
	for _, e := range list {
		c.expr(e)
	}
}

func (c *checker) expr(e ast.Expr) {
	switch e := e.(type) {
	case *ast.IdentExpr:
		c.name(e.Line(), e.Value)
	case *ast.AttrGetExpr:
		if name := chain(e); name != "" {
			c.name(e.Line(), name)
			return
		}
		c.expr(e.Object)
		c.expr(e.Key)
	case *ast.TableExpr:
		for _, f := range e.Fields {
			if f.Key != nil {
				c.expr(f.Key)
			}
			c.expr(f.Value)
		}
	case *ast.FuncCallExpr:
		if e.Func != nil {
			c.expr(e.Func)
		} else {
			c.expr(e.Receiver)
		}
		c.exprs(e.Args)
	case *ast.FunctionExpr:
		c.declare(e.ParList.Names...)
		c.block(e.Stmts)
	default:
		c.operands(e)
	}
}

// operands judges what operators work on.
func (c *checker) operands(e ast.Expr) {
	switch e := e.(type) {
	case *ast.LogicalOpExpr:
		c.exprs([]ast.Expr{e.Lhs, e.Rhs})
	case *ast.RelationalOpExpr:
		c.exprs([]ast.Expr{e.Lhs, e.Rhs})
	case *ast.StringConcatOpExpr:
		c.exprs([]ast.Expr{e.Lhs, e.Rhs})
	case *ast.ArithmeticOpExpr:
		c.exprs([]ast.Expr{e.Lhs, e.Rhs})
	case *ast.UnaryMinusOpExpr:
		c.expr(e.Expr)
	case *ast.UnaryNotOpExpr:
		c.expr(e.Expr)
	case *ast.UnaryLenOpExpr:
		c.expr(e.Expr)
	}
}
