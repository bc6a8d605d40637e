package determinism

import (
	"go/ast"
	"go/token"
	"strings"

	"dlsim/lint/place"

	"golang.org/x/tools/go/analysis"
)

const directivePrefix = "//dlsim:"

// The directives and what each is for.
const (
	trampoline = "trampoline" // this function may recover
	unordered  = "unordered"  // this loop's order cannot be seen
)

// Directives reports directives that nobody understands or that lie where they mean nothing. A
// misspelt exemption would otherwise look like one that was granted.
var Directives = &analysis.Analyzer{
	Name: "dlsimdirective",
	Doc:  "report //dlsim: comments that are unknown, without a reason, or where they mean nothing",
	Run:  runDirectives,
}

func runDirectives(pass *analysis.Pass) (any, error) {
	at := place.Of(pass)
	for _, file := range place.Sources(pass) {
		for _, group := range file.Comments {
			for _, c := range group.List {
				name, reason, ok := parseDirective(c)
				if !ok {
					continue
				}
				switch {
				case name != trampoline && name != unordered:
					pass.Reportf(c.Pos(), "unknown directive dlsim:%s", name)
				case name == trampoline && !at.Virtual():
					pass.Reportf(c.Pos(), "dlsim:trampoline is for sim/virtual only")
				case name == unordered && !at.Deterministic():
					pass.Reportf(c.Pos(), "dlsim:unordered means nothing outside system and sim/virtual")
				case name == unordered && reason == "":
					pass.Reportf(c.Pos(), "dlsim:unordered needs a reason")
				}
			}
		}
	}
	return nil, nil
}

// parseDirective splits a comment of the form "//dlsim:name reason".
func parseDirective(c *ast.Comment) (name, reason string, ok bool) {
	text, ok := strings.CutPrefix(c.Text, directivePrefix)
	if !ok {
		return "", "", false
	}
	name, reason, _ = strings.Cut(text, " ")
	// A reason ends where another comment begins, as in every Go directive's trailing remark.
	reason, _, _ = strings.Cut(reason, "//")
	return name, strings.TrimSpace(reason), true
}

// granted is the set of one directive's occurrences in a file, by the line each stands on.
type granted struct {
	fset  *token.FileSet
	lines map[int]token.Pos
	used  map[int]bool
}

// grants finds name's occurrences in file. One without a reason grants nothing.
func grants(pass *analysis.Pass, file *ast.File, name string) *granted {
	g := &granted{fset: pass.Fset, lines: map[int]token.Pos{}, used: map[int]bool{}}
	for _, group := range file.Comments {
		for _, c := range group.List {
			if n, reason, ok := parseDirective(c); ok && n == name && reason != "" {
				g.lines[pass.Fset.Position(c.Pos()).Line] = c.Pos()
			}
		}
	}
	return g
}

// at reports whether the directive stands on pos's line or the one before it.
func (g *granted) at(pos token.Pos) bool {
	line := g.fset.Position(pos).Line
	for _, l := range []int{line, line - 1} {
		if _, ok := g.lines[l]; ok {
			g.used[l] = true
			return true
		}
	}
	return false
}

// reportUnused reports occurrences that granted nothing: the code they excused has gone.
func (g *granted) reportUnused(pass *analysis.Pass, name string) {
	for line, pos := range g.lines {
		if !g.used[line] {
			pass.Reportf(pos, "dlsim:%s excuses nothing here", name)
		}
	}
}
