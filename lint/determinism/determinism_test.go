package determinism_test

import (
	"testing"

	"dlsim/lint/determinism"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
)

// The sources below testdata say with "want" comments what is reported; whatever they do not say
// must not be.
func TestAnalyzers(t *testing.T) {
	for _, tt := range []struct {
		name     string
		analyzer *analysis.Analyzer
		packages []string
	}{
		{
			"the machine's clocks, locks, contexts, HTTP globals and randomness are reported",
			determinism.Seam,
			[]string{"system/clocks", "system/locks", "system/contexts", "system/web", "system/chance"},
		},
		{
			"the virtual world may answer with the machine's errors but not call it",
			determinism.Seam, []string{"sim/virtual/machine"},
		},
		{
			"goroutines and channels are reported, but for the signatures that libraries ask for",
			determinism.Tasks, []string{"system/tasks", "sim/virtual/tasks"},
		},
		{
			"recover is the trampoline's alone",
			determinism.Recover, []string{"system/recovers", "sim/virtual/recovers", "sim/virtual/twice"},
		},
		{
			"a map is ranged over only where its order cannot be seen",
			determinism.MapOrder, []string{"system/order"},
		},
		{"floating point is reported", determinism.Floats, []string{"sim/virtual/floats"}},
		{"draws have the same size on every machine", determinism.Draws, []string{"sim/virtual/draws"}},
		{
			"a directive is known, in its place and explained",
			determinism.Directives, []string{"system/directives", "sim/virtual/directives", "checker/directives"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var paths []string
			for _, p := range tt.packages {
				paths = append(paths, "dlsim/"+p)
			}
			analysistest.Run(t, analysistest.TestData(), tt.analyzer, paths...)
		})
	}
}

func TestNoRuleAppliesElsewhere(t *testing.T) {
	all := &analysis.Analyzer{
		Name: "all",
		Doc:  "run every analyzer, so that the sources are loaded once",
		Run: func(pass *analysis.Pass) (any, error) {
			for _, a := range []*analysis.Analyzer{
				determinism.Seam, determinism.Tasks, determinism.Recover, determinism.MapOrder,
				determinism.Floats, determinism.Draws, determinism.Directives,
			} {
				if _, err := a.Run(pass); err != nil {
					return nil, err
				}
			}
			return nil, nil
		},
	}
	analysistest.Run(t, analysistest.TestData(), all, "dlsim/nemesis/free")
}
