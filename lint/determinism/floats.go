package determinism

import (
	"go/ast"
	"go/types"

	"dlsim/lint/place"

	"golang.org/x/tools/go/analysis"
)

// Floats reports floating point in the virtual world. Processors differ in it (a compiler may fuse
// a multiplication and an addition on arm64 and not on amd64), so a latency drawn with it differs
// too. Distributions are integer tables.
var Floats = &analysis.Analyzer{
	Name: "dlsimfloats",
	Doc:  "report floating point in the virtual world",
	Run:  runFloats,
}

func runFloats(pass *analysis.Pass) (any, error) {
	if !place.Of(pass).Virtual() {
		return nil, nil
	}
	for _, file := range place.Sources(pass) {
		ast.Inspect(file, func(n ast.Node) bool {
			what := floatIn(pass, n)
			if what == "" {
				return true
			}
			pass.Reportf(n.Pos(), "%s is not allowed in the virtual world: it differs between processors; use integers", what)
			return false // one report an expression
		})
	}
	return nil, nil
}

// floatIn names what is floating about n itself, or "".
func floatIn(pass *analysis.Pass, n ast.Node) string {
	switch n := n.(type) {
	case *ast.Ident:
		if t, ok := pass.TypesInfo.Uses[n].(*types.TypeName); ok && t.Pkg() == nil && isFloat(t.Type()) {
			return "type " + n.Name
		}
	case *ast.SelectorExpr:
		if fn, ok := pass.TypesInfo.Uses[n.Sel].(*types.Func); ok && fn.Pkg() != nil {
			switch fn.Pkg().Path() {
			case "math", "math/cmplx":
				return fn.Pkg().Path() + "." + fn.Name()
			}
		}
	case *ast.BasicLit:
		if isFloat(pass.TypesInfo.TypeOf(n)) {
			return "literal " + n.Value
		}
	case *ast.BinaryExpr:
		if isFloat(pass.TypesInfo.TypeOf(n.X)) || isFloat(pass.TypesInfo.TypeOf(n.Y)) {
			return "floating-point arithmetic"
		}
	case *ast.UnaryExpr:
		if isFloat(pass.TypesInfo.TypeOf(n)) {
			return "floating-point arithmetic"
		}
	case *ast.AssignStmt:
		if n.Tok.String() != "=" && n.Tok.String() != ":=" && isFloat(pass.TypesInfo.TypeOf(n.Lhs[0])) {
			return "floating-point arithmetic"
		}
	case *ast.IncDecStmt:
		if isFloat(pass.TypesInfo.TypeOf(n.X)) {
			return "floating-point arithmetic"
		}
	case *ast.CallExpr:
		if isFloat(pass.TypesInfo.TypeOf(n)) {
			if tv, ok := pass.TypesInfo.Types[n.Fun]; ok && tv.IsType() {
				return "conversion to " + types.ExprString(n.Fun)
			}
			return "floating-point result of " + types.ExprString(n.Fun)
		}
	}
	return ""
}

func isFloat(t types.Type) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsFloat|types.IsComplex) != 0
}
