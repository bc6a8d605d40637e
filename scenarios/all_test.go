package scenarios

import "testing"

func TestEveryShippedScenarioIsCleanAndNamedAsItsFile(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range all {
		if s.Name != Names()[i] {
			t.Errorf("%s.yaml is named %q", Names()[i], s.Name)
		}
		for _, p := range Lint(s) {
			t.Error(p)
		}
	}
}
