package determinism

import (
	"go/ast"
	"go/types"
	"strings"

	"dlsim/lint/place"

	"golang.org/x/tools/go/analysis"
)

// Recover reports recover: a killed process's tasks unwind by a panic with a private sentinel
// (DESIGN 4.1), and whoever recovers it keeps a dead process running. Only the coroutine's
// trampoline may: the one function of a sim/virtual package that carries dlsim:trampoline.
var Recover = &analysis.Analyzer{
	Name: "dlsimrecover",
	Doc:  "report recover outside the virtual world's trampoline",
	Run:  runRecover,
}

func runRecover(pass *analysis.Pass) (any, error) {
	at := place.Of(pass)
	if !at.Deterministic() {
		return nil, nil
	}
	var first *ast.FuncDecl
	for _, file := range place.Sources(pass) {
		for _, decl := range file.Decls {
			fn, isFunc := decl.(*ast.FuncDecl)
			excused := isFunc && at.Virtual() && isTrampoline(fn)
			if excused && first != nil {
				pass.Reportf(fn.Name.Pos(), "a second trampoline: %s has the directive already", first.Name.Name)
			}
			if excused && first == nil {
				first = fn
			}
			found := false
			ast.Inspect(decl, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				if !ok {
					return true
				}
				if b, ok := pass.TypesInfo.Uses[id].(*types.Builtin); ok && b.Name() == "recover" {
					found = true
					if !excused {
						pass.Reportf(id.Pos(), "recover is not allowed here: it would keep a killed process running")
					}
				}
				return true
			})
			if excused && !found {
				pass.Reportf(fn.Name.Pos(), "dlsim:trampoline excuses nothing here")
			}
		}
	}
	return nil, nil
}

func isTrampoline(fn *ast.FuncDecl) bool {
	if fn.Doc == nil {
		return false
	}
	for _, c := range fn.Doc.List {
		if strings.TrimSpace(c.Text) == directivePrefix+trampoline {
			return true
		}
	}
	return false
}
