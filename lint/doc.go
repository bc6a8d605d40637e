// Package lint holds the analyzers that keep dlsim's promises checkable by a machine: the same
// seed gives the same history, and imports point one way. "make lint" runs them over the module.
//
// An analyzer sees only what is written, not what a dependency does behind a call. It exists to
// make the easy mistake loud; the proof of determinism is the test that runs a seed twice.
//
// Two directives are understood, and each needs its place:
//
//	//dlsim:trampoline         on the one function of a sim/virtual package that may recover
//	//dlsim:unordered reason   before a range over a map whose order cannot be seen
//
// A directive that is unknown, misplaced, without its reason or without effect is itself reported.
package lint

import (
	"dlsim/lint/determinism"
	"dlsim/lint/layout"

	"golang.org/x/tools/go/analysis"
)

// Analyzers returns every analyzer of the module, in the order in which they report.
func Analyzers() []*analysis.Analyzer {
	return []*analysis.Analyzer{
		determinism.Seam,
		determinism.Tasks,
		determinism.Recover,
		determinism.MapOrder,
		determinism.Floats,
		determinism.Draws,
		determinism.Directives,
		layout.Imports,
		layout.Names,
	}
}
