package nemesis

import (
	"hash/fnv"
	"slices"
	"testing"
	"time"

	"dlsim/sim"
)

func everything() Rates {
	r := Rates{OnEvents: 500, Kinds: map[string]Share{}}
	for _, k := range Kinds() {
		r.Kinds[k.Name] = Share{Rate: Whole}
	}
	return r
}

var testLimits = Limits{
	Window: 8 * second, HealBy: 20 * second, Budget: 9 * second, DriftPPM: 1000,
	RailMaxDelay: 2 * second, LeaseTTL: 5 * second, Payouts: 12,
}

func newGenerator(t testing.TB, topology sim.Topology, given ...Fault) *Generator {
	t.Helper()
	g, err := NewGenerator(topology, testLimits, everything(), given)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestDrawnPlansKeepTheirLimitsForTenThousandSeeds(t *testing.T) {
	noEtcd := fakeTopology()
	noEtcd.Stores = noEtcd.Stores[:3]
	onlyEtcd := fakeTopology()
	onlyEtcd.Stores = slices.Delete(slices.Clone(onlyEtcd.Stores), 1, 3)
	given := Fault{Kind: "pause", Target: "proxy-1", At: second, For: 3 * second}
	for _, c := range []struct {
		topology sim.Topology
		given    []Fault
	}{{fakeTopology(), nil}, {noEtcd, []Fault{given}}, {onlyEtcd, nil}} {
		g := newGenerator(t, c.topology, c.given...)
		drawn, onEvents := map[string]int{}, 0
		for seed := range uint64(10_000) {
			p := g.Plan(seed)
			if err := p.Validate(c.topology); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if used := p.Exposure(c.topology); used.Total() > testLimits.Budget || used.DriftPPM > testLimits.DriftPPM {
				t.Fatalf("seed %d uses up %+v", seed, used)
			}
			for i, f := range p.Faults {
				if f.At+f.For > testLimits.HealBy || f.At > testLimits.Window || f.For < 0 {
					t.Fatalf("seed %d, fault %d stands too long: %s", seed, i+1, f)
				}
				if f.Kind == railLate.Name && f.Extra > testLimits.RailMaxDelay {
					t.Fatalf("seed %d: the rail pays later than it may: %s", seed, f)
				}
				if f.Kind == clockStep.Name && (f.Target == "rail" || f.Target == sim.Lockdb) {
					t.Fatalf("seed %d: %s", seed, f)
				}
				if i >= len(c.given) {
					drawn[f.Kind]++
					if !f.On.IsZero() {
						onEvents++
					}
				}
				if seed >= 100 {
					continue // reading is slow
				}
				if back, err := Parse(f.String()); err != nil || back != f {
					t.Fatalf("seed %d, fault %d does not round trip: %s, %v", seed, i+1, f, err)
				}
			}
			if len(c.given) > 0 && (p.Faults[0].Kind != given.Kind || p.Faults[0].For != given.For) {
				t.Fatalf("seed %d: the given fault became %s", seed, p.Faults[0])
			}
		}
		total := 0
		for _, k := range Kinds() {
			n := drawn[k.Name]
			total += n
			able := k.targets == nil || len(k.targets(c.topology)) > 0
			switch {
			case !able && n > 0:
				t.Errorf("%d of %s, which nothing here can have", n, k.Name)
			case able && k.Name != pause.Name && k.Name != clockDrift.Name && k.Name != slow.Name &&
				k.Name != delayRequest.Name && k.Name != rollingRestart.Name && (n < 9500 || n > 10500):
				t.Errorf("%d of %s in 10,000 seeds at a rate of 1", n, k.Name)
			case able && n < 2500:
				t.Errorf("only %d of %s in 10,000 seeds", n, k.Name)
			}
		}
		if onEvents*100/total < 35 || onEvents*100/total > 50 {
			t.Errorf("%d of %d faults are placed on events", onEvents, total)
		}
	}
}

func TestAPlanIsAFunctionOfItsSeed(t *testing.T) {
	one, other := newGenerator(t, fakeTopology()), newGenerator(t, fakeTopology())
	for seed := range uint64(300) {
		a := one.Plan(seed)
		other.Plan(seed * 7) // whatever else was drawn before
		b := other.Plan(seed)
		if !slices.Equal(a.Faults, b.Faults) {
			t.Fatalf("seed %d: %v\nand %v", seed, a.Faults, b.Faults)
		}
	}
}

// The hash was taken on a 64-bit machine; 32-bit ones must agree (GOARCH=386 go test).
func TestPlansAreTheSameOnEveryMachine(t *testing.T) {
	g := newGenerator(t, fakeTopology())
	h := fnv.New64a()
	for seed := range uint64(500) {
		for _, f := range g.Plan(seed * 0x9e3779b97f4a7c15).Faults {
			h.Write([]byte(f.String()))
		}
	}
	const want = 0x74af07f67f1816c9
	if got := h.Sum64(); got != want {
		t.Errorf("plans hash to %#x, want %#x", got, uint64(want))
	}
}

func TestOneKindsRateMovesNoOtherKind(t *testing.T) {
	plain := newGenerator(t, fakeTopology())
	rates := everything()
	rates.Kinds["kill"] = Share{Rate: 5 * Whole}
	delete(rates.Kinds, "cut")
	changed, err := NewGenerator(fakeTopology(), testLimits, rates, nil)
	if err != nil {
		t.Fatal(err)
	}
	others := func(p Plan) (left []Fault) {
		for _, f := range p.Faults {
			if f.Kind != "kill" && f.Kind != "cut" {
				f.ID = 0
				left = append(left, f)
			}
		}
		return left
	}
	for seed := range uint64(500) {
		if a, b := others(plain.Plan(seed)), others(changed.Plan(seed)); !slices.Equal(a, b) {
			t.Fatalf("seed %d: %v\nbecame %v", seed, a, b)
		}
	}
}

func TestTargetsNamedInAShareAreKeptTo(t *testing.T) {
	rates := Rates{OnEvents: 500, Kinds: map[string]Share{
		"pause":          {Rate: 2 * Whole, Targets: []string{sim.RoleProxy}},
		"database-crash": {Rate: Whole, Targets: []string{sim.Lockdb}},
		"clock-step":     {Rate: Whole, Targets: []string{"rail"}},
		"cut":            {Rate: Whole, Targets: []string{sim.RoleRail}},
	}}
	limits := testLimits
	limits.Budget = time.Hour
	limits.HealBy = time.Hour
	g, err := NewGenerator(fakeTopology(), limits, rates, nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for seed := range uint64(500) {
		for _, f := range g.Plan(seed).Faults {
			seen[f.Kind+" "+f.Target]++
			if f.Target == Actor && f.On.Process != sim.RoleProxy {
				t.Fatalf("seed %d strikes at whoever it meets: %s", seed, f)
			}
			if f.Kind == "cut" && f.To != "rail" {
				t.Fatalf("seed %d: %s", seed, f)
			}
		}
	}
	for _, want := range []string{"pause proxy-1", "pause proxy-2", "pause actor", "database-crash lockdb", "cut "} {
		if seen[want] == 0 {
			t.Errorf("never %s: %v", want, seen)
		}
		delete(seen, want)
	}
	if seen["clock-step rail"] > 0 {
		delete(seen, "clock-step rail")
	}
	if len(seen) > 0 {
		t.Errorf("besides %v", seen)
	}
}

func TestAGeneratorRefusesWhatItDoesNotKnow(t *testing.T) {
	for _, r := range []Rates{
		{Kinds: map[string]Share{"puase": {Rate: Whole}}},
		{Kinds: map[string]Share{"pause": {Rate: Whole, Targets: []string{"proxies"}}}},
	} {
		if _, err := NewGenerator(fakeTopology(), testLimits, r, nil); err == nil {
			t.Errorf("%v was accepted", r)
		}
	}
	if _, err := NewGenerator(fakeTopology(), Limits{}, everything(), nil); err == nil {
		t.Error("random faults without a time to heal were accepted")
	}
}

func TestIntensityMultiplies(t *testing.T) {
	rates := Rates{Intensity: 3 * Whole, Kinds: map[string]Share{"restart": {Rate: 500}}}
	g, err := NewGenerator(fakeTopology(), testLimits, rates, nil)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for seed := range uint64(4000) {
		n += len(g.Plan(seed).Faults)
	}
	if n < 5700 || n > 6300 {
		t.Errorf("%d faults in 4000 seeds at a rate of 3 x 0.5", n)
	}
}

func TestRatesReadAndWrite(t *testing.T) {
	for text, want := range map[string]Rate{"2": 2000, "0.25": 250, "0": 0, "1.5": 1500, "0.001": 1} {
		got, err := ParseRate(text)
		if err != nil || got != want || got.String() != text {
			t.Errorf("%s reads as %d (%v) and writes as %s", text, got, err, got)
		}
	}
	for _, text := range []string{"", "-1", "1.", "0.0001", "x", "1e3", "99999999999999999999"} {
		if got, err := ParseRate(text); err == nil {
			t.Errorf("%q reads as %s", text, got)
		}
	}
}

func BenchmarkPlan(b *testing.B) {
	g := newGenerator(b, fakeTopology())
	for i := range b.N {
		g.Plan(uint64(i))
	}
}
