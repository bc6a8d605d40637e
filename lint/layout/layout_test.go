package layout_test

import (
	"testing"

	"dlsim/lint/layout"

	"golang.org/x/tools/go/analysis/analysistest"
)

func TestImportsPointOneWay(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), layout.Imports,
		"dlsim/history", "dlsim/system/lock", "dlsim/checker", "dlsim/sim", "dlsim/sim/truth",
		"dlsim/sim/virtual", "dlsim/sim/virtual/postgres", "dlsim/sim/virtual/etcd",
		"dlsim/nemesis", "dlsim/results", "dlsim/lint")
}

func TestPackagesAndFilesAreNamedForSomething(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), layout.Names,
		"dlsim/system/util", "dlsim/naming", "dlsim/naming/common", "dlsim/sim")
}
