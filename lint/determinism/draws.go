package determinism

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"dlsim/lint/place"

	"golang.org/x/tools/go/analysis"
)

// Draws reports random draws whose size depends on the machine's word. A seed must choose the
// same on a 32-bit arm as on amd64, so draws take and give uint64 or int64, and are narrowed only
// once they are known to fit.
var Draws = &analysis.Analyzer{
	Name: "dlsimdraws",
	Doc:  "report draws of the virtual world that are sized int or uint",
	Run:  runDraws,
}

// drawNames are the names under which the world's seams draw.
func isDrawName(name string) bool {
	switch strings.ToLower(name) {
	case "pick", "draw", "uint64n", "choose", "intn", "uintn", "int64n":
		return true
	}
	return false
}

func runDraws(pass *analysis.Pass) (any, error) {
	if !place.Of(pass).Virtual() {
		return nil, nil
	}
	for _, file := range place.Sources(pass) {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if fn, ok := pass.TypesInfo.Defs[n.Name].(*types.Func); ok {
					checkDrawSignature(pass, n.Name, fn)
				}
			case *ast.InterfaceType:
				for _, m := range n.Methods.List {
					for _, name := range m.Names {
						if fn, ok := pass.TypesInfo.Defs[name].(*types.Func); ok {
							checkDrawSignature(pass, name, fn)
						}
					}
				}
			case *ast.BinaryExpr:
				if n.Op == token.REM && isNarrowedDraw(pass, n.X) {
					pass.Reportf(n.Pos(), "a draw is narrowed before the remainder is taken: the result differs on 32-bit machines")
				}
			}
			return true
		})
	}
	return nil, nil
}

func checkDrawSignature(pass *analysis.Pass, name *ast.Ident, fn *types.Func) {
	if !isDrawName(fn.Name()) {
		return
	}
	checkDrawTypes(pass, name, "parameter", fn.Signature().Params())
	checkDrawTypes(pass, name, "result", fn.Signature().Results())
}

func checkDrawTypes(pass *analysis.Pass, name *ast.Ident, what string, vars *types.Tuple) {
	for i := range vars.Len() {
		if t := vars.At(i).Type(); isWordSized(t) {
			pass.Reportf(name.Pos(), "%s has a %s of type %s: draws are uint64 or int64, the same on every machine", name.Name, what, t)
		}
	}
}

// isNarrowedDraw reports whether e is int(draw(…)) or uint(draw(…)).
func isNarrowedDraw(pass *analysis.Pass, e ast.Expr) bool {
	conv, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(conv.Args) != 1 {
		return false
	}
	tv, ok := pass.TypesInfo.Types[conv.Fun]
	if !ok || !tv.IsType() || !isWordSized(tv.Type) {
		return false
	}
	call, ok := ast.Unparen(conv.Args[0]).(*ast.CallExpr)
	if !ok {
		return false
	}
	callee := calleeOf(pass, call)
	return callee != nil && isDrawName(callee.Name())
}

func isWordSized(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && (b.Kind() == types.Int || b.Kind() == types.Uint || b.Kind() == types.Uintptr)
}
