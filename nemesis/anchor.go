package nemesis

import (
	"time"

	"dlsim/history"
)

// Anchor ties a strike to the event before it, so that it can be repeated where times differ.
type Anchor struct {
	Process string        `json:"process,omitempty" yaml:"process,omitempty"`
	Event   history.Op    `json:"event,omitempty" yaml:"event,omitempty"`
	Kind    string        `json:"kind,omitempty" yaml:"kind,omitempty"`
	Nth     int           `json:"nth,omitempty" yaml:"nth,omitempty"`     // the how-manieth such event, from 1
	After   time.Duration `json:"after,omitempty" yaml:"after,omitempty"` // from the event to the strike
}

// IsZero reports whether nothing had happened before the strike.
func (a Anchor) IsZero() bool { return a.Event == "" }

// Trigger is the trigger that waits for the anchor's event.
func (a Anchor) Trigger() Trigger {
	return Trigger{Event: a.Event, Process: a.Process, Kind: a.Kind, Nth: a.Nth}
}

// anchor finds the last event of process before now, or of any process where that one has recorded
// none. Only the clients' record counts: the live world learns the truth later than it happens.
func (w *watch) anchor(process string, now time.Duration) Anchor {
	last := -1
	for i := len(w.marks) - 1; i >= 0; i-- {
		if w.marks[i].aside {
			continue
		}
		if w.marks[i].process == process {
			last = i
			break
		}
		if last < 0 {
			last = i
		}
	}
	if last < 0 {
		return Anchor{}
	}
	return w.anchorAt(last, now)
}

// anchorOn is the anchor of a strike that waited for e.
func (w *watch) anchorOn(e *history.Event, now time.Duration) Anchor {
	for i := len(w.marks) - 1; i >= 0; i-- {
		m := &w.marks[i]
		if m.time == time.Duration(e.Time) && m.kind == e.Kind && m.op == e.Op && m.process == e.Process {
			return w.anchorAt(i, now)
		}
	}
	return Anchor{}
}

func (w *watch) anchorAt(i int, now time.Duration) Anchor {
	at := &w.marks[i]
	nth := 0
	for j := range w.marks[:i+1] {
		if m := &w.marks[j]; m.kind == at.kind && m.op == at.op && m.process == at.process {
			nth++
		}
	}
	return Anchor{Process: at.process, Event: at.op, Kind: at.kind.String(), Nth: nth, After: now - at.time}
}
