package determinism

import (
	"go/ast"
	"go/types"
	"strings"

	"dlsim/lint/place"

	"golang.org/x/tools/go/analysis"
)

// MapOrder reports ranging over a map where the order could be seen. Accepted without a word:
//
//   - for range m, which sees no key;
//   - a loop that only collects the keys into a slice which the next statement sorts;
//   - a loop that only deletes from the map it ranges over;
//   - a loop that only counts, adds up integers, sets other[key], or returns one constant.
//
// See orderFree for what these may look at. For the rest: sort the keys, or say with
// dlsim:unordered why the order cannot be seen. maps.Keys, Values and All are held to the same,
// unless they go straight into slices.Sorted and its kin, or back into a map.
var MapOrder = &analysis.Analyzer{
	Name: "dlsimmaporder",
	Doc:  "report loops over maps whose order could reach the history",
	Run:  runMapOrder,
}

func runMapOrder(pass *analysis.Pass) (any, error) {
	if !place.Of(pass).Deterministic() {
		return nil, nil
	}
	for _, file := range place.Sources(pass) {
		c := mapOrderCheck{pass: pass, excused: grants(pass, file, unordered), after: nextStatements(file), absorbed: map[*ast.CallExpr]bool{}}
		ast.Inspect(file, c.visit)
		c.excused.reportUnused(pass, unordered)
	}
	return nil, nil
}

type mapOrderCheck struct {
	pass     *analysis.Pass
	excused  *granted
	after    map[ast.Stmt]ast.Stmt // the statement that follows in the same block
	absorbed map[*ast.CallExpr]bool
}

func (c *mapOrderCheck) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		c.checkIterator(n)
	case *ast.RangeStmt:
		if !isMap(c.pass.TypesInfo.TypeOf(n.X)) || isBlank(n.Key) && isBlank(n.Value) {
			return true
		}
		if orderFree(c.pass, n, c.after[n]) || c.excused.at(n.For) {
			return true
		}
		c.pass.Reportf(n.For, "range over a map is not allowed here: its order differs from run to run; sort the keys, or explain with //dlsim:unordered")
	}
	return true
}

// checkIterator reports maps.Keys, Values and All whose result is not absorbed by its consumer.
func (c *mapOrderCheck) checkIterator(call *ast.CallExpr) {
	fn, ok := calleeOf(c.pass, call).(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Signature().Recv() != nil {
		return
	}
	switch path, name := fn.Pkg().Path(), fn.Name(); {
	case path == "slices" && strings.HasPrefix(name, "Sorted"),
		path == "maps" && (name == "Collect" || name == "Insert"):
		for _, arg := range call.Args {
			if inner, ok := ast.Unparen(arg).(*ast.CallExpr); ok {
				c.absorbed[inner] = true // visited after its parent
			}
		}
	case path == "maps" && (name == "Keys" || name == "Values" || name == "All"):
		if !c.absorbed[call] && !c.excused.at(call.Pos()) {
			c.pass.Reportf(call.Pos(), "maps.%s is not allowed here: its order differs from run to run; give it to slices.Sorted", name)
		}
	}
}

// nextStatements maps each statement to the one after it in the same list.
func nextStatements(file *ast.File) map[ast.Stmt]ast.Stmt {
	next := map[ast.Stmt]ast.Stmt{}
	ast.Inspect(file, func(n ast.Node) bool {
		var list []ast.Stmt
		switch n := n.(type) {
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		case *ast.CommClause:
			list = n.Body
		}
		for i := 1; i < len(list); i++ {
			next[list[i-1]] = list[i]
		}
		return true
	})
	return next
}

func isBlank(e ast.Expr) bool {
	if e == nil {
		return true
	}
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// isMap reports whether t is a map, or a type parameter that may be one.
func isMap(t types.Type) bool {
	if t == nil {
		return false
	}
	if _, ok := t.Underlying().(*types.Map); ok {
		return true
	}
	param, ok := types.Unalias(t).(*types.TypeParam)
	if !ok {
		return false
	}
	constraint, ok := param.Constraint().Underlying().(*types.Interface)
	if !ok {
		return false
	}
	for i := range constraint.NumEmbeddeds() {
		switch e := constraint.EmbeddedType(i).(type) {
		case *types.Union:
			for j := range e.Len() {
				if isMap(e.Term(j).Type()) {
					return true
				}
			}
		default:
			if isMap(e) {
				return true
			}
		}
	}
	return false
}
