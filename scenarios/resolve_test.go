package scenarios

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"dlsim/nemesis"
)

func mustLoad(t testing.TB, name string, settings ...string) *Scenario {
	t.Helper()
	s, err := Load(name, settings...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// settings is what of a scenario determines its runs and their judgement.
func settings(s *Scenario) Scenario {
	plain := *s
	plain.file, plain.lines = "", nil
	if len(plain.Faults) == 0 {
		plain.Faults = nil
	}
	return plain
}

func TestAResolvedScenarioReadsBackAsItself(t *testing.T) {
	for _, name := range Names() {
		r, err := NewResolver(mustLoad(t, name))
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(10) {
			first, err := r.Resolve(seed)
			if err != nil {
				t.Fatal(err)
			}
			text, err := first.YAML()
			if err != nil {
				t.Fatal(err)
			}
			again, err := Parse(name+".yaml", text)
			if err != nil {
				t.Fatalf("%s, seed %d: %v\n%s", name, seed, err, text)
			}
			if a, b := settings(first.Scenario), settings(again); !reflect.DeepEqual(a, b) {
				t.Fatalf("%s, seed %d: wrote\n%s\nread\n%+v\nwant\n%+v", name, seed, text, b, a)
			}
			other, err := again.Resolve(seed + 1000) // the seed of an explicit scenario settles nothing
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(other.Plan, first.Plan) || other.Expectation().FaultsListed != first.Expectation().FaultsListed {
				t.Fatalf("%s, seed %d: resolved again to another plan or judgement", name, seed)
			}
		}
	}
}

func TestDrawsReachEveryValueAndDependOnTheSeedAlone(t *testing.T) {
	s := mustLoad(t, "everything")
	r, err := NewResolver(s)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]map[any]int{}
	for seed := range uint64(600) {
		got, err := r.Resolve(seed)
		if err != nil {
			t.Fatal(err)
		}
		for path, value := range map[string]any{
			"backend": got.Lock.Backend, "proxies": got.Topology.Proxies, "executors": got.Topology.Executors, "lockds": got.Topology.Lockds,
		} {
			if seen[path] == nil {
				seen[path] = map[any]int{}
			}
			seen[path][value]++
		}
		if got.Draw != nil || got.Random != nil || got.DrawnFrom == nil || *got.DrawnFrom != seed {
			t.Fatalf("seed %d is not settled: %+v", seed, got.Scenario)
		}
		if err := got.Plan.Validate(Topology(got.Config)); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if seed%50 == 0 {
			alone, err := s.Resolve(seed)
			if err != nil || !reflect.DeepEqual(alone.Plan, got.Plan) || alone.Config != got.Config {
				t.Fatalf("seed %d resolves otherwise alone", seed)
			}
		}
	}
	for path, values := range seen {
		for value, n := range values {
			if n < 120 {
				t.Errorf("%s is %v in %d of 600 seeds", path, value, n)
			}
		}
	}
	if len(seen["proxies"]) != 3 || len(seen["executors"]) != 3 || len(seen["backend"]) != 2 || len(seen["lockds"]) != 2 {
		t.Errorf("drawn: %v", seen)
	}
}

func TestRandomPlansNeverBreakTheHorizon(t *testing.T) {
	for name, seeds := range map[string]uint64{"standard": 1000, "everything": 10_000, "everything-sql": 1000} {
		r, err := NewResolver(mustLoad(t, name, "random.pause=4", "random.slow=2", "random.delay-request=2", "random.clock-drift=2"))
		if err != nil {
			t.Fatal(err)
		}
		longest := time.Duration(0)
		for seed := range seeds {
			s, err := r.Resolve(seed)
			if err != nil {
				t.Fatal(err)
			}
			way := s.LongestWay(s.Plan)
			if way >= s.Reconciler.Horizon {
				t.Fatalf("%s, seed %d: %s is not below the horizon: %v", name, seed, way, s.Faults)
			}
			longest = max(longest, way)
			for _, f := range s.Faults {
				if f.At+f.For > s.HealBy {
					t.Fatalf("%s, seed %d stands after heal_by: %s", name, seed, f)
				}
			}
		}
		if longest < 15*time.Second {
			t.Errorf("%s: the longest way is only %s: the budget is not used", name, longest)
		}
	}
}

func TestSettingsOverrideByPath(t *testing.T) {
	s := mustLoad(t, "gc-pause",
		"rail.proxy.fencing.enabled=false", "topology.proxies=1", "lock.backend=postgres", "bound=2m",
		"faults.0.for=7s", "faults.0.on.nth=3", "random.kill={rate: 0.5, targets: [proxy]}", "random.intensity=2",
		"draw.topology.executors=[2, 3]", "expect.never=[lease-overrun]", "must_exercise=[]", "description=other")
	if s.Rail.Proxy.Fencing.Enabled || s.Topology.Proxies != 1 || s.Lock.Backend != "postgres" || s.Bound != 2*time.Minute ||
		s.Faults[0].For != 7*time.Second || s.Faults[0].On.Nth != 3 || s.Random["intensity"].Rate != 2000 ||
		!slices.Equal(s.Draw["topology.executors"], []Choice{"2", "3"}) || !slices.Equal(s.Expect.Never, []string{"lease-overrun"}) ||
		len(s.MustExercise) != 0 || s.Description != "other" {
		t.Errorf("came to %+v", s)
	}
	if k := s.Random["kill"]; k.Rate != 500 || !slices.Equal(k.Targets, []string{"proxy"}) {
		t.Errorf("random.kill is %+v", k)
	}
}

func TestWhatIsSetIsNoLongerDrawn(t *testing.T) {
	for _, c := range []struct {
		set  string
		left []string
	}{
		{"topology.executors=1", []string{"lock.backend", "lock.ttl", "rail.statement_delay", "reconciler.stale", "topology.lockds", "topology.proxies", "workload.accounts"}},
		{"topology={executors: 1, proxies: 4}", []string{"lock.backend", "lock.ttl", "rail.statement_delay", "reconciler.stale", "workload.accounts"}},
		{"lock.backend=etcd", []string{"lock.ttl", "rail.statement_delay", "reconciler.stale", "topology.executors", "topology.lockds", "topology.proxies", "workload.accounts"}},
		{"topology.etcd_nodes=5", []string{"lock.backend", "lock.ttl", "rail.statement_delay", "reconciler.stale", "topology.executors", "topology.lockds", "topology.proxies", "workload.accounts"}},
	} {
		s := mustLoad(t, "everything", c.set)
		if got := s.drawnPaths(); !slices.Equal(got, c.left) {
			t.Errorf("%s leaves %v to draw, want %v", c.set, got, c.left)
		}
	}
	if len(mustLoad(t, "everything").Draw) != 8 {
		t.Error("a setting of one copy reached the scenario")
	}
}

func TestASettingIsReadAsStrictlyAsAFile(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"rail.proxy.fencing.enabeld=false", `unknown key "rail.proxy.fencing.enabeld" (did you mean "enabled"?)`},
		{"topolgy.proxies=2", `unknown key "topolgy" (did you mean "topology"?)`},
		{"topology.proxies=two", `--set topology.proxies=two: want a whole number, not "two"`},
		{"topology.proxies=", "--set topology.proxies=: has no value"},
		{"bound=60", `--set bound=60: want a duration such as 2s or 150ms, not "60"`},
		{"bound", `--set "bound": want path=value`},
		{"faults.7.for=1s", "faults.7: the list has 1 items, numbered from 0"},
		{"faults.x.for=1s", "faults.x: the list has 1 items, numbered from 0"},
		{"bound.x=1s", "bound has no keys of its own"},
		{"faults=[{kind: pause, tarket: x}]", `unknown key "0.tarket"`},
		{"bound.=1s", `"bound." ends in a dot`},
		{"lock..ttl=1s", `unknown key "lock."`},
		{"topology.executors=0", "--set: topology.executors: 0 is less than 1"},
		{"faults.0.target=executor-9", `there is no process or store "executor-9"`},
	} {
		_, err := Load("gc-pause", c.set)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("--set %s: %v, want %s", c.set, err, c.want)
		}
	}
}

func TestASettingChangesNoOtherCopy(t *testing.T) {
	s := mustLoad(t, "gc-pause")
	c := *s
	for _, set := range []string{"faults.0.for=1s", "must_exercise.0=paused", "random.kill=3"} {
		if err := c.Set(set); err != nil {
			t.Fatal(err)
		}
	}
	if s.Faults[0].For == time.Second || s.MustExercise[0] == "paused" || s.Random != nil {
		t.Error("the original has changed")
	}
}

func TestAScenarioIsLoadedFromAFileToo(t *testing.T) {
	s := mustLoad(t, "gc-pause")
	text, err := s.YAML()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "mine.yml")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := mustLoad(t, path); !reflect.DeepEqual(settings(got), settings(s)) {
		t.Errorf("read %+v", got)
	}
}

func TestFaultsThatChanceListedAreNotJudgedOneByOne(t *testing.T) {
	for name, listed := range map[string]bool{"gc-pause": true, "standard": false} {
		s := mustLoad(t, name)
		r, err := s.Resolve(3)
		if err != nil {
			t.Fatal(err)
		}
		if s.Expectation().FaultsListed != listed || r.Expectation().FaultsListed != listed {
			t.Errorf("%s: listed is %v, resolved %v", name, s.Expectation().FaultsListed, r.Expectation().FaultsListed)
		}
	}
}

func TestAnExplicitPlanTakesTheFaultsPlace(t *testing.T) {
	s := mustLoad(t, "gc-pause")
	f := nemesis.Fault{ID: 1, Kind: "restart", Target: "proxy-1", At: time.Second}
	other := s.As(nemesis.Plan{Faults: []nemesis.Fault{f}})
	if other.Faults[0] != f || s.Faults[0].Kind != "pause" {
		t.Errorf("%v and %v", other.Faults, s.Faults)
	}
}

func BenchmarkResolve(b *testing.B) {
	r, err := NewResolver(mustLoad(b, "everything"))
	if err != nil {
		b.Fatal(err)
	}
	for i := range b.N {
		if _, err := r.Resolve(uint64(i)); err != nil {
			b.Fatal(err)
		}
	}
}

func TestAFileNeedsNoNameAndNoDescriptionToRun(t *testing.T) {
	s, err := Parse("nights/worst.yaml", []byte("workload: {accounts: 1, payouts: 1}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "worst" {
		t.Errorf("it is called %q, want the file's name", s.Name)
	}
	doubts := Lint(s)
	if len(doubts) != 1 || !strings.Contains(doubts[0].String(), "description: the scenario does not say what it shows") {
		t.Errorf("lint says %v, want that it has no description", doubts)
	}
}
