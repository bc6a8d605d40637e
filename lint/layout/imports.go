// Package layout holds the analyzers that keep the shape of the module: imports point one way,
// and a package or file is named for what it is about.
package layout

import (
	"strconv"

	"dlsim/lint/place"

	"golang.org/x/tools/go/analysis"
)

// Imports reports imports that cross a wall of the layout. Test files may cross it: a checker's
// test may well build its histories with the system.
var Imports = &analysis.Analyzer{
	Name: "dlsimimports",
	Doc:  "report imports that the module's layout forbids",
	Run:  runImports,
}

// wall is a rule about what the packages under a directory may import of this module. A wall
// with only names all it may import besides itself; one with never names what it may not.
type wall struct {
	dir   string
	only  []string
	never []string
	why   string
}

// walls lists the rules; every one whose dir a package lies under applies.
var walls = []wall{
	{dir: "history", only: []string{}, why: "history knows nobody"},
	{dir: "system", only: []string{"history"}, why: "the system knows its own packages and history only"},
	{dir: "checker", only: []string{"history"}, why: "checkers know history only"},
	{dir: "sim", never: []string{"nemesis", "checker", "runner", "scenarios", "results"}, why: "a world does not know who uses it"},
	{dir: "sim/virtual/postgres", never: []string{"system"}, why: "a model of a store does not know the system"},
	{dir: "sim/virtual/etcd", never: []string{"system"}, why: "a model of a store does not know the system"},
	{dir: "sim/truth", never: []string{"sim/virtual", "sim/live"}, why: "both worlds use it"},
	{dir: "nemesis", never: []string{"sim/virtual", "sim/live"}, why: "faults do not know which world they strike"},
	{dir: "nemesis", never: []string{"checker", "runner", "results"}, why: "faults do not know who judges them"},
	{dir: "lint", only: []string{}, why: "lint looks at the module from outside"},
}

// machine lists packages of the standard library through which the system would reach its machine
// past the host. They may not be imported there at all.
var machine = map[string]bool{
	"os": true, "os/exec": true, "os/signal": true, "os/user": true, "syscall": true, "net": true,
	"log": true, "log/slog": true, "log/syslog": true, "net/rpc": true, "net/smtp": true,
	"net/http/httptest": true, "net/http/httputil": true, "net/http/httptrace": true,
	"database/sql": true, "plugin": true, "expvar": true, "unsafe": true,
}

func runImports(pass *analysis.Pass) (any, error) {
	at := place.Of(pass)
	if at == place.Outside {
		return nil, nil
	}
	for _, file := range place.Sources(pass) {
		for _, spec := range file.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				continue
			}
			if at.System() && machine[path] {
				pass.Reportf(spec.Pos(), "import of %s is not allowed in system: ask the host instead", path)
			}
			if why := forbidden(at, place.OfPath(path)); why != "" {
				pass.Reportf(spec.Pos(), "import of %s is not allowed in %s: %s", path, at, why)
			}
		}
	}
	return nil, nil
}

// forbidden says why a package at from may not import the package at to, or "".
func forbidden(from, to place.Place) string {
	if to == place.Outside {
		return ""
	}
	if to.Under("cmd") && !from.Under("cmd") {
		return "nobody knows the command line"
	}
	for _, w := range walls {
		if !from.Under(w.dir) {
			continue
		}
		if w.only != nil && !to.Under(w.dir) && !to.UnderAny(w.only...) {
			return w.why
		}
		if to.UnderAny(w.never...) {
			return w.why
		}
	}
	return ""
}
