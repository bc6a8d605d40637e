// Package place says where in the module a package lies, and so which rules it is under.
package place

import (
	"go/ast"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Module is the path of the module whose layout is checked.
const Module = "dlsim"

// Place is a package's import path below the module, "" for the module's root. A package of
// another module has a Place that is Outside.
type Place string

// Outside is the Place of every package of another module.
const Outside Place = "\x00outside"

// Of returns the place of the package that pass looks at.
func Of(pass *analysis.Pass) Place { return OfPath(pass.Pkg.Path()) }

// OfPath returns the place of an import path. The " [p.test]" that go vet adds to the variant of
// a package built for its tests does not count.
func OfPath(path string) Place {
	path, _, _ = strings.Cut(path, " [")
	if path == Module {
		return ""
	}
	if rest, ok := strings.CutPrefix(path, Module+"/"); ok {
		return Place(rest)
	}
	return Outside
}

// Under reports whether p is dir or lies below it.
func (p Place) Under(dir string) bool {
	return string(p) == dir || strings.HasPrefix(string(p), dir+"/")
}

// UnderAny reports whether p is under one of dirs.
func (p Place) UnderAny(dirs ...string) bool {
	for _, dir := range dirs {
		if p.Under(dir) {
			return true
		}
	}
	return false
}

// System reports whether p is part of the system under test.
func (p Place) System() bool { return p.Under("system") }

// Virtual reports whether p is part of the virtual world.
func (p Place) Virtual() bool { return p.Under("sim/virtual") }

// Deterministic reports whether a run's history depends on the code in p, so that p may use
// nothing whose outcome differs from one machine or moment to the next.
func (p Place) Deterministic() bool { return p.System() || p.Virtual() }

// Sources returns the files of the pass that are not tests: a test may use what it likes. The main
// file that the go command makes up for a test has no .go name and is left out too.
func Sources(pass *analysis.Pass) []*ast.File {
	var files []*ast.File
	for _, f := range pass.Files {
		name := pass.Fset.Position(f.FileStart).Filename
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			files = append(files, f)
		}
	}
	return files
}
