package scenarios

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"dlsim/sim"
)

func TestABriefFileReadsBackTheSame(t *testing.T) {
	for _, name := range Names() {
		s, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		resolved, err := s.Resolve(3)
		if err != nil {
			t.Fatal(err)
		}
		resolved.Workload.List = []sim.Payout{
			{ID: "payout-1", Account: "account-1", Amount: 5}, {ID: "payout-2", Account: "account-2", Amount: 7, Due: 1500 * time.Millisecond},
		}
		brief, err := resolved.Brief()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse("brief.yaml", brief)
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, brief)
		}
		again.Faults = again.Plan().Faults
		want, err := resolved.YAML()
		if err != nil {
			t.Fatal(err)
		}
		have, err := again.YAML()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(have, want) {
			t.Errorf("%s reads back as\n%s\nnot\n%s", name, have, want)
		}
		if strings.Contains(string(brief), "etcd_nodes") {
			t.Errorf("%s: a default is written:\n%s", name, brief)
		}
	}
}

func TestListedPayoutsAreJudgedAsAWhole(t *testing.T) {
	for _, c := range []struct{ list, says string }{
		{"[{id: a, account: x, amount: 1}, {id: a, account: x, amount: 1}]", "a is listed twice"},
		{"[{id: a, account: x}]", "must move money"},
		{"[{id: a, amount: 1}]", "an id and an account"},
		{"[{id: a, account: x, amount: 1, due: 2m}]", "does not arrive within the run"},
	} {
		_, err := Parse("l.yaml", []byte("name: l\ndescription: listed\nworkload:\n  list: "+c.list+"\n"))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.list, err, c.says)
		}
	}
}
