package nemesis

import (
	"fmt"

	"dlsim/history"
	"dlsim/sim"
)

// Kind is one way for things to go wrong, complete in one file: what it is called, what it takes,
// how it strikes and heals, when it has bitten, and how it is drawn and drawn in plots.
type Kind struct {
	Name   string
	Short  string // what happens, in a few words
	Colour string // of its shade in plots, #rrggbb
	// Params are the fault's fields that the kind uses, besides id, kind, at, on and after.
	// Those in Needs must be set.
	Params, Needs []Param
	// LosesData marks kinds that break an assumption of the design about what is durable or who
	// may pay. Random plans have them only where they are asked for by name.
	LosesData bool
	// Bites says in words when a fault of this kind has bitten.
	Bites string

	// targets lists the names in a topology that the kind can strike; nil for faults of links.
	targets func(t sim.Topology) []string
	// check is what validation has to ask besides; nil asks nothing.
	check func(f Fault, t sim.Topology) error
	// strike does it. What stands afterwards is in the strike's effects, which healing undoes.
	strike func(s *strike) error
	// lasts says that the fault has no duration and is still not over at once: it ends itself.
	lasts bool
	// see takes from later events what bit needs to know; nil needs nothing.
	see func(s *strike, e *history.Event)
	// bit reports whether the fault has met anything by now, and on what or why not.
	bit func(s *strike) (bool, string)
	// draw makes a random fault, all but its trigger.
	draw func(d *drawing) Fault
	// place lists the events around which a random fault of this kind is worth placing.
	place func(d *drawing, f Fault) []placement
}

// Param names a field of Fault as YAML does.
type Param string

// The parameters that kinds choose from.
const (
	Target   Param = "target"
	From     Param = "from"
	To       Param = "to"
	For      Param = "for"
	Way      Param = "way"
	Mode     Param = "mode"
	Extra    Param = "extra"
	Count    Param = "count"
	Step     Param = "step"
	DriftPPM Param = "drift_ppm"
	Loses    Param = "loses"
	Client   Param = "client"
	Every    Param = "every"
	Payout   Param = "payout"
)

// params lists them all in a fixed order.
var params = [...]Param{Target, From, To, For, Way, Mode, Extra, Count, Step, DriftPPM, Loses, Client, Every, Payout}

// gives reports whether the fault has a value for the parameter.
func (f *Fault) gives(p Param) bool {
	switch p {
	case Target:
		return f.Target != ""
	case From:
		return f.From != ""
	case To:
		return f.To != ""
	case For:
		return f.For != 0
	case Way:
		return f.Way != ""
	case Mode:
		return f.Mode != ""
	case Extra:
		return f.Extra != 0
	case Count:
		return f.Count != 0
	case Step:
		return f.Step != 0
	case DriftPPM:
		return f.DriftPPM != 0
	case Loses:
		return f.Loses != 0
	case Client:
		return f.Client != ""
	case Every:
		return f.Every != 0
	case Payout:
		return f.Payout != ""
	}
	return false
}

// kinds is filled by init: kinds reach the registry again through their draws.
var kinds []*Kind

func init() {
	kinds = []*Kind{
		&pause, &kill, &restart, &rollingRestart,
		&cut, &slow, &dropReply, &delayRequest, &reset,
		&clockStep, &clockDrift,
		&diskStall, &databaseCrash, &failover, &backendKill,
		&etcdLeaderLoss, &etcdRestore,
		&railTimeout, &railExecute5xx, &railLate, &railDecline,
		&operatorCancel, &operatorPay,
	}
}

// Kinds lists every kind of fault in the order used everywhere: in draws, lists and documents.
func Kinds() []*Kind { return kinds }

// KindNamed finds a kind by its name.
func KindNamed(name string) (*Kind, error) {
	for _, k := range kinds {
		if k.Name == name {
			return k, nil
		}
	}
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.Name
	}
	return nil, fmt.Errorf("unknown kind of fault %q%s", name, DidYouMean(name, names))
}

// felt is the rule of most kinds: something met the effect.
func felt(s *strike) (bool, string) {
	n := s.felt()
	if n == 0 {
		return false, "nothing met it"
	}
	return true, fmt.Sprintf("met %d times", n)
}

// Possible reports whether anything in topology t can have a fault of this kind.
func (k *Kind) Possible(t sim.Topology) bool { return k.targets == nil || len(k.targets(t)) > 0 }
