package nemesis

import (
	"errors"
	"fmt"
	"slices"

	"dlsim/history"
	"dlsim/sim"
)

// Validate reports the first thing that keeps the fault from being carried out in topology t.
func (f Fault) Validate(t sim.Topology) error {
	kind, err := KindNamed(f.Kind)
	if err != nil {
		return err
	}
	if err := f.validateFields(kind); err != nil {
		return fmt.Errorf("%s: %w", f.Kind, err)
	}
	if err := f.validateTrigger(t); err != nil {
		return fmt.Errorf("%s: %w", f.Kind, err)
	}
	if err := f.validateTarget(kind, t); err != nil {
		return fmt.Errorf("%s: %w", f.Kind, err)
	}
	if kind.check != nil {
		if err := kind.check(f, t); err != nil {
			return fmt.Errorf("%s: %w", f.Kind, err)
		}
	}
	return nil
}

func (f *Fault) validateFields(kind *Kind) error {
	for _, p := range params {
		if f.gives(p) && !slices.Contains(kind.Params, p) {
			return fmt.Errorf("takes no %q", p)
		}
	}
	for _, p := range kind.Needs {
		if !f.gives(p) {
			return fmt.Errorf("needs %q", p)
		}
	}
	for _, d := range [...]struct {
		name  string
		value int64
	}{
		{"id", int64(f.ID)}, {"at", int64(f.At)}, {"after", int64(f.After)}, {"for", int64(f.For)},
		{"extra", int64(f.Extra)}, {"count", int64(f.Count)}, {"loses", int64(f.Loses)},
		{"every", int64(f.Every)}, {"nth", int64(f.On.Nth)},
	} {
		if d.value < 0 {
			return fmt.Errorf("%q is negative", d.name)
		}
	}
	switch f.Way {
	case "", WayBoth, WayRequests, WayReplies:
	default:
		return fmt.Errorf("way is %q, want %s, %s or %s", f.Way, WayBoth, WayRequests, WayReplies)
	}
	switch sim.LinkMode(f.Mode) {
	case "", sim.Hold, sim.Drop:
	default:
		return fmt.Errorf("mode is %q, want %s or %s", f.Mode, sim.Hold, sim.Drop)
	}
	return nil
}

func (f *Fault) validateTrigger(t sim.Topology) error {
	if f.On.IsZero() {
		if f.After != 0 {
			return errors.New(`"after" delays a strike on an event; there is no "on"`)
		}
		return nil
	}
	if f.At != 0 {
		return errors.New(`has both "at" and "on"`)
	}
	if f.On.Event == "" {
		return errors.New(`"on" needs an "event"`)
	}
	if !slices.Contains(triggerOps, f.On.Event) {
		names := make([]string, len(triggerOps))
		for i, op := range triggerOps {
			names[i] = string(op)
		}
		return fmt.Errorf("no event is called %q%s", f.On.Event, DidYouMean(string(f.On.Event), names))
	}
	switch f.On.Kind {
	case "", history.Invoke.String(), history.OK.String(), history.Fail.String(), history.Info.String():
	default:
		return fmt.Errorf("kind of event is %q, want invoke, ok, fail or info", f.On.Kind)
	}
	if p := f.On.Process; p != "" && p != worldProcess && !exists(t, p) && !isGroup(t, p) {
		return fmt.Errorf("on: there is no process or store %q%s", p, DidYouMean(p, namesOf(t)))
	}
	return nil
}

func (f *Fault) validateTarget(kind *Kind, t sim.Topology) error {
	if kind.targets == nil {
		for _, end := range [...]string{f.From, f.To} {
			if end == Everyone || isGroup(t, end) {
				continue
			}
			if err := validateName(f, end, t); err != nil {
				return err
			}
		}
		return nil
	}
	able := kind.targets(t)
	if len(able) == 0 {
		return errors.New("nothing in this topology can have it")
	}
	if f.Target == "" || slices.Contains(able, f.Target) {
		return nil
	}
	if isSymbol(f.Target) {
		return validateSymbol(f, f.Target, able, t)
	}
	if exists(t, f.Target) {
		return fmt.Errorf("cannot strike %q, only %s", f.Target, listed(able))
	}
	return fmt.Errorf("there is no process or store %q%s", f.Target, DidYouMean(f.Target, append(able, symbols...)))
}

func validateName(f *Fault, name string, t sim.Topology) error {
	if name == "" || exists(t, name) {
		return nil
	}
	if isSymbol(name) {
		return validateSymbol(f, name, nil, t)
	}
	return fmt.Errorf("there is no process or store %q%s", name, DidYouMean(name, namesOf(t)))
}

// validateSymbol asks that the symbol can come to stand for something, and for something able to
// have the fault where able is given.
func validateSymbol(f *Fault, symbol string, able []string, t sim.Topology) error {
	if symbol == Actor && f.On.IsZero() {
		return fmt.Errorf("%q is whoever recorded the trigger's event; there is no \"on\"", Actor)
	}
	if symbol == Leader && f.Kind != etcdLeaderLoss.Name {
		return fmt.Errorf("%q is known to etcd alone; only %s may name it", Leader, etcdLeaderLoss.Name)
	}
	role, ok := symbolRoles[symbol]
	if !ok {
		return nil
	}
	names := withRole(t, role)
	if len(names) == 0 {
		return fmt.Errorf("%q: there is no %s", symbol, role)
	}
	if able != nil && !slices.Contains(able, names[0]) {
		return fmt.Errorf("cannot strike %q, only %s", symbol, listed(able))
	}
	return nil
}
