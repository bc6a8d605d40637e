package nemesis

import (
	"fmt"
	"math/rand"
	"slices"
	"time"

	"dlsim/sim"

	fuzz "github.com/google/gofuzz"
)

// Limits bounds what a generator draws.
type Limits struct {
	// Window is when faults strike at a time: before it, counted from the start.
	Window time.Duration
	// HealBy is when every fault must be over.
	HealBy time.Duration
	// Budget is how much of the horizon random faults may use up (Exposure.Total), so that
	// assumption (b) holds. What Given takes is taken off it.
	Budget time.Duration
	// DriftPPM bounds the rate error of one clock, all drifts together.
	DriftPPM int64
	// RailMaxDelay bounds how late the rail may pay.
	RailMaxDelay time.Duration
	// LeaseTTL is the lease that holders ask for; pauses are drawn around it.
	LeaseTTL time.Duration
	// Payouts is the number of payouts; triggers wait for at most so many events of a kind.
	Payouts int
}

// Generator draws plans: it turns a seed and rates into an explicit list of faults. It is used for
// one seed after another, by one goroutine at a time.
//
// Each seed draws from a random half of the kinds only (swarm testing; Groce et al., ISSTA 2012):
// a run with everything in it rarely gets far, and faults hide each other. The kinds that are in
// are drawn twice as often, so that a rate stays the expected number over all seeds. Every kind has
// a source of its own, so a change to one rate leaves the draws of the others alone.
type Generator struct {
	topology sim.Topology
	limits   Limits
	rates    Rates
	given    []Fault
	fuzzer   *fuzz.Fuzzer
	source   *keyed
	drawing  drawing
	asked    []asked
	fault    Fault   // being drawn
	faults   []Fault // of the plan being drawn
}

// asked is a kind that the rates ask for.
type asked struct {
	kind    *Kind
	nth     uint64 // among all kinds: its source's key
	share   Share
	targets []string // that it can strike
}

// NewGenerator makes a generator. The given faults are in every plan, before the drawn ones.
func NewGenerator(t sim.Topology, l Limits, r Rates, given []Fault) (*Generator, error) {
	names := make([]string, 0, len(r.Kinds))
	for name := range r.Kinds {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if _, err := KindNamed(name); err != nil {
			return nil, err
		}
		for _, target := range r.Kinds[name].Targets {
			if !exists(t, target) && !isGroup(t, target) {
				return nil, fmt.Errorf("%s: there is no process, store or role %q%s", name, target,
					DidYouMean(target, append(namesOf(t), rolesOf(t)...)))
			}
		}
	}
	if l.HealBy <= 0 || l.Window <= 0 {
		return nil, fmt.Errorf("random faults need a window (%s) and a time to heal by (%s)", l.Window, l.HealBy)
	}
	g := &Generator{topology: t, limits: l, rates: r, given: given, source: &keyed{}}
	// gofuzz does the drawing; only its 64-bit draws are used, since int-sized ones differ between
	// machines and floats may.
	g.fuzzer = fuzz.NewWithSeed(0).RandSource(g.source).Funcs(g.drawFault)
	g.drawing = drawing{topology: t, limits: l, all: routes(t)}
	for i, kind := range kinds {
		share := r.Kinds[kind.Name]
		if share.Rate == 0 {
			continue
		}
		a := asked{kind: kind, nth: uint64(i), share: share}
		if kind.targets != nil {
			a.targets = kind.targets(t)
		}
		g.asked = append(g.asked, a)
	}
	return g, nil
}

// Plan draws the plan of a seed.
func (g *Generator) Plan(seed uint64) Plan {
	p := Plan{Faults: append(g.faults[:0], g.given...), HealBy: g.limits.HealBy}
	for _, a := range g.asked {
		g.source.rekey(seed, a.nth)
		if g.source.below(2) == 0 {
			continue // not of this seed's swarm
		}
		g.drawing.asked = a
		if !g.drawing.ready() {
			continue // nothing in this topology can have it
		}
		for range g.count(2 * a.share.Rate * g.intensity() / Whole) {
			g.fuzzer.Fuzz(&g.fault)
			g.fit(&p, g.fault)
		}
	}
	g.faults = p.Faults
	return p.Numbered() // in memory of its own
}

func (g *Generator) intensity() Rate {
	if g.rates.Intensity == 0 {
		return Whole
	}
	return g.rates.Intensity
}

// count draws how many, with mean: many trials with a small chance each.
func (g *Generator) count(mean Rate) int {
	trials := 4 * (1 + mean/Whole)
	n := 0
	for range trials {
		if g.source.below(uint64(trials*Whole)) < uint64(mean) {
			n++
		}
	}
	return n
}

// drawFault is what gofuzz calls to fill a Fault.
func (g *Generator) drawFault(f *Fault, c fuzz.Continue) {
	d := &g.drawing
	d.rand = c.Rand
	*f = d.kind.draw(d)
	f.Kind = d.kind.Name
	d.placeFault(f, g.rates.OnEvents)
}

// fit adds f to p, made shorter where the limits ask for it, or gives it up.
func (g *Generator) fit(p *Plan, f Fault) {
	if f.At+f.For > g.limits.HealBy {
		f.For = g.limits.HealBy - f.At
	}
	if f.Every > 0 {
		last := time.Duration(len(withRole(g.topology, f.Target))-1) * f.Every
		if f.At+last > g.limits.HealBy {
			return
		}
	}
	p.Faults = append(p.Faults, f)
	if !exposes(f.Kind) {
		return
	}
	added := &p.Faults[len(p.Faults)-1]
	used := p.Exposure(g.topology)
	over := used.Total() - g.limits.Budget
	switch {
	case over > 0 && f.Kind == pause.Name && f.For > over:
		added.For -= over
	case over > 0, used.DriftPPM > g.limits.DriftPPM && f.DriftPPM != 0:
		p.Faults = p.Faults[:len(p.Faults)-1]
	}
}

// keyed is gofuzz's source of randomness: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), started
// anew for each kind from the run's seed.
type keyed struct{ state uint64 }

var _ rand.Source64 = (*keyed)(nil)

func (k *keyed) rekey(seed, kind uint64) {
	k.state = seed
	k.state = k.Uint64() ^ (kind+1)*0xd1342543de82ef95
	k.Uint64()
}

// Uint64 is the next draw.
func (k *keyed) Uint64() uint64 {
	k.state += 0x9e3779b97f4a7c15
	z := k.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Int63 is the next draw without its sign.
func (k *keyed) Int63() int64 { return int64(k.Uint64() >> 1) }

// Seed starts anew.
func (k *keyed) Seed(seed int64) { k.state = uint64(seed) }

// below draws from [0, n). The bias of the remainder is far below what rates can show.
func (k *keyed) below(n uint64) uint64 { return k.Uint64() % n }
