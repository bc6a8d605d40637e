package determinism

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// orderFree reports whether no order of the iterations of loop, a range over a map, can be told
// from another. It errs on the side of no.
//
// The argument: each statement accepted below either depends on nothing but the iteration's own
// key and value and on what the loop never writes, or its effects commute. Keys are distinct, so
// writes to other[key] never meet.
func orderFree(pass *analysis.Pass, loop *ast.RangeStmt, after ast.Stmt) bool {
	if loop.Tok != token.DEFINE {
		return false // the last key would stay behind in a variable
	}
	c := loopCheck{pass: pass, loop: loop, key: objectOf(pass, loop.Key), sorted: sortedSlice(pass, after)}
	if !c.block(loop.Body.List) {
		return false
	}
	if c.returns != "" && len(c.writes) > 0 {
		return false // how much was written before the return depends on the order
	}
	// What is written must not be looked at: a condition on a running count sees the order.
	for _, read := range c.reads {
		if c.looksAtWritten(read) {
			return false
		}
	}
	return true
}

type loopCheck struct {
	pass    *analysis.Pass
	loop    *ast.RangeStmt
	key     types.Object
	sorted  string // the slice that the next statement sorts, as written
	reads   []ast.Expr
	writes  []string // what the loop writes, as written
	returns string   // what it returns, as written
}

func (c *loopCheck) block(list []ast.Stmt) bool {
	for _, s := range list {
		if !c.statement(s) {
			return false
		}
	}
	return true
}

func (c *loopCheck) statement(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.BlockStmt:
		return c.block(s.List)
	case *ast.IfStmt:
		return s.Init == nil && c.read(s.Cond) && c.block(s.Body.List) && (s.Else == nil || c.statement(s.Else))
	case *ast.BranchStmt:
		return s.Tok == token.CONTINUE && s.Label == nil
	case *ast.ReturnStmt:
		return c.constantReturn(s)
	case *ast.IncDecStmt:
		return c.accumulate(s.X)
	case *ast.ExprStmt:
		return c.deletion(s.X)
	case *ast.AssignStmt:
		return c.assignment(s)
	}
	return false
}

// deletion accepts delete(m, key) and clear(m) on the map ranged over.
func (c *loopCheck) deletion(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	b, ok := calleeOf(c.pass, call).(*types.Builtin)
	ranged := types.ExprString(c.loop.X)
	if !ok || types.ExprString(call.Args[0]) != ranged || !isPath(c.loop.X) {
		return false
	}
	switch b.Name() {
	case "delete":
		// Deleting another key than this one's would decide whether that one is still visited.
		if !c.isKey(call.Args[1]) {
			return false
		}
	case "clear":
		// Everything else in the loop would then happen for one entry only.
		if len(c.loop.Body.List) != 1 {
			return false
		}
	default:
		return false
	}
	c.writes = append(c.writes, ranged)
	return true
}

func (c *loopCheck) assignment(s *ast.AssignStmt) bool {
	if len(s.Lhs) != 1 || len(s.Rhs) != 1 {
		return false
	}
	left, right := s.Lhs[0], s.Rhs[0]
	switch s.Tok {
	case token.ADD_ASSIGN, token.SUB_ASSIGN, token.OR_ASSIGN, token.AND_ASSIGN, token.XOR_ASSIGN:
		return c.accumulate(left) && c.read(right)
	case token.ASSIGN:
		if index, ok := left.(*ast.IndexExpr); ok {
			// other[key] = value
			if _, isIdent := index.X.(*ast.Ident); !isIdent || !isMap(c.pass.TypesInfo.TypeOf(index.X)) || !c.isKey(index.Index) {
				return false
			}
			c.writes = append(c.writes, types.ExprString(index.X))
			return c.read(right)
		}
		return c.collection(left, right)
	}
	return false
}

// collection accepts s = append(s, key) where s is sorted right after the loop. Only keys: two
// equal values may stand for different things, and sorting would leave those in map order.
func (c *loopCheck) collection(left, right ast.Expr) bool {
	call, ok := right.(*ast.CallExpr)
	if !ok || len(call.Args) != 2 || call.Ellipsis.IsValid() {
		return false
	}
	b, ok := calleeOf(c.pass, call).(*types.Builtin)
	slice := types.ExprString(left)
	if !ok || b.Name() != "append" || slice != c.sorted || types.ExprString(call.Args[0]) != slice {
		return false
	}
	item := ast.Unparen(call.Args[1])
	if conv, ok := item.(*ast.CallExpr); ok && len(conv.Args) == 1 && c.pass.TypesInfo.Types[conv.Fun].IsType() {
		item = conv.Args[0]
	}
	if !c.isKey(item) {
		return false
	}
	c.writes = append(c.writes, slice)
	return true
}

// accumulate accepts a local integer variable that is added to: addition commutes, wrapped or not.
func (c *loopCheck) accumulate(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := c.pass.TypesInfo.Uses[id].(*types.Var)
	if !ok || v.Parent() == nil || v.Parent() == v.Pkg().Scope() {
		return false
	}
	b, ok := v.Type().Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsInteger == 0 {
		return false
	}
	c.writes = append(c.writes, id.Name)
	return true
}

// constantReturn accepts returns that all return the same constants: "is there one that …".
func (c *loopCheck) constantReturn(s *ast.ReturnStmt) bool {
	parts := []string{"return"}
	for _, r := range s.Results {
		tv := c.pass.TypesInfo.Types[r]
		if tv.Value == nil && !tv.IsNil() {
			return false
		}
		if tv.Value != nil && tv.Value.Kind() == constant.Unknown {
			return false
		}
		parts = append(parts, types.ExprString(r))
	}
	text := strings.Join(parts, " ")
	if c.returns != "" && c.returns != text {
		return false
	}
	c.returns = text
	return true
}

// read accepts an expression without effects and remembers it.
func (c *loopCheck) read(e ast.Expr) bool {
	pure := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if !c.isPureCall(n) {
				pure = false
			}
		case *ast.FuncLit:
			pure = false
		case *ast.UnaryExpr:
			if n.Op == token.ARROW || n.Op == token.AND {
				pure = false
			}
		}
		return pure
	})
	c.reads = append(c.reads, e)
	return pure
}

// isPureCall accepts conversions, len and cap, and functions of packages that only compute.
func (c *loopCheck) isPureCall(call *ast.CallExpr) bool {
	if c.pass.TypesInfo.Types[call.Fun].IsType() {
		return true
	}
	switch callee := calleeOf(c.pass, call).(type) {
	case *types.Builtin:
		return callee.Name() == "len" || callee.Name() == "cap" || callee.Name() == "min" || callee.Name() == "max"
	case *types.Func:
		if callee.Pkg() == nil {
			return false
		}
		path := callee.Pkg().Path()
		return path == "strings" || path == "bytes" || path == "time" && callee.Signature().Recv() != nil
	}
	return false
}

// looksAtWritten reports whether e contains something that the loop writes.
func (c *loopCheck) looksAtWritten(e ast.Expr) bool {
	seen := false
	ast.Inspect(e, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok {
			for _, w := range c.writes {
				seen = seen || types.ExprString(x) == w
			}
		}
		return !seen
	})
	return seen
}

func (c *loopCheck) isKey(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && c.key != nil && c.pass.TypesInfo.Uses[id] == c.key
}

func objectOf(pass *analysis.Pass, e ast.Expr) types.Object {
	if id, ok := e.(*ast.Ident); ok {
		return pass.TypesInfo.Defs[id]
	}
	return nil
}

// isPath reports whether e is a chain of names, which means the same each time it is evaluated.
func isPath(e ast.Expr) bool {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return true
		case *ast.SelectorExpr:
			e = x.X
		default:
			return false
		}
	}
}

// sortedSlice is the slice that s sorts, as written, or "".
func sortedSlice(pass *analysis.Pass, s ast.Stmt) string {
	stmt, ok := s.(*ast.ExprStmt)
	if !ok {
		return ""
	}
	call, ok := stmt.X.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return ""
	}
	fn, ok := calleeOf(pass, call).(*types.Func)
	if !ok || fn.Pkg() == nil {
		return ""
	}
	switch path, name := fn.Pkg().Path(), fn.Name(); {
	case path == "slices" && strings.HasPrefix(name, "Sort"):
	case path == "sort" && (name == "Strings" || name == "Ints" || name == "Slice" || name == "SliceStable"):
	case path == "sort" && (name == "Sort" || name == "Stable"):
		// sort.Sort(byID(s))
		if conv, ok := call.Args[0].(*ast.CallExpr); ok && len(conv.Args) == 1 && pass.TypesInfo.Types[conv.Fun].IsType() {
			return types.ExprString(conv.Args[0])
		}
	default:
		return ""
	}
	return types.ExprString(call.Args[0])
}
