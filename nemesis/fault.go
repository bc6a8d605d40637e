package nemesis

import (
	"strconv"
	"strings"
	"time"

	"dlsim/history"
)

// Fault is one thing that goes wrong. Which fields a kind uses is the kind's business (see Kinds);
// a field it does not use must be zero. The value is comparable: equal faults are the same fault.
type Fault struct {
	// ID tells the faults of one plan apart and survives the removal of others, so that whatever is
	// drawn for this fault does not move when another goes. 0 until the plan is numbered.
	ID   int    `yaml:"id,omitempty" json:"id,omitempty"`
	Kind string `yaml:"kind" json:"kind"`

	// Target is a process, a store, or a symbol that is resolved when the fault strikes.
	Target string `yaml:"target,omitempty" json:"target,omitempty"`
	// From and To name the link of a network fault: the client, and the server it calls. Besides
	// names and symbols they may be a role (all its processes), "etcd" (all its nodes) or "*".
	From string `yaml:"from,omitempty" json:"from,omitempty"`
	To   string `yaml:"to,omitempty" json:"to,omitempty"`

	// At is the true time of the strike; On an event that the strike waits for instead. With
	// neither the fault strikes at the start. After delays a strike on an event.
	At    time.Duration `yaml:"at,omitempty" json:"at,omitempty"`
	On    Trigger       `yaml:"on,omitempty" json:"on,omitzero"`
	After time.Duration `yaml:"after,omitempty" json:"after,omitempty"`
	// For is how long the fault stands before it heals, in true time.
	For time.Duration `yaml:"for,omitempty" json:"for,omitempty"`
	// Until heals it on an event already, counted from the run's start. It is set where a run is
	// repeated in another world, and no file has it.
	Until Trigger `yaml:"-" json:"-"`

	Way      string        `yaml:"way,omitempty" json:"way,omitempty"`             // both (the default), requests or replies
	Mode     string        `yaml:"mode,omitempty" json:"mode,omitempty"`           // of a cut: hold (the default) or drop
	Extra    time.Duration `yaml:"extra,omitempty" json:"extra,omitempty"`         // added delay
	Count    int           `yaml:"count,omitempty" json:"count,omitempty"`         // at most so many messages; 0 is no limit
	Step     time.Duration `yaml:"step,omitempty" json:"step,omitempty"`           // jump of a wall clock, either sign
	DriftPPM int64         `yaml:"drift_ppm,omitempty" json:"drift_ppm,omitempty"` // rate error of a clock, parts per million
	Loses    time.Duration `yaml:"loses,omitempty" json:"loses,omitempty"`         // how far back lost data goes
	Client   string        `yaml:"client,omitempty" json:"client,omitempty"`       // whose sessions; empty lets the store choose
	Every    time.Duration `yaml:"every,omitempty" json:"every,omitempty"`         // from one restart to the next
	Payout   string        `yaml:"payout,omitempty" json:"payout,omitempty"`       // empty takes the trigger's, else the last one seen
}

// Trigger describes the event on which a fault strikes. Empty fields match anything.
type Trigger struct {
	Event history.Op `yaml:"event,omitempty" json:"event,omitempty"`
	// Process is who recorded the event: a process, a store, or a role for any of its processes.
	// For a lock event recorded by the lock store it may also be the process that owns the lock.
	Process string `yaml:"process,omitempty" json:"process,omitempty"`
	Owner   string `yaml:"owner,omitempty" json:"owner,omitempty"`
	Account string `yaml:"account,omitempty" json:"account,omitempty"`
	Payout  string `yaml:"payout,omitempty" json:"payout,omitempty"`
	Kind    string `yaml:"kind,omitempty" json:"kind,omitempty"` // invoke, ok, fail or info
	State   string `yaml:"state,omitempty" json:"state,omitempty"`
	Nth     int    `yaml:"nth,omitempty" json:"nth,omitempty"` // the how-manieth match; 0 is the first
}

// IsZero reports whether the trigger waits for nothing.
func (t Trigger) IsZero() bool { return t == Trigger{} }

// String is the fault as one line of YAML, its fields in a fixed order. Parse reads it back.
func (f Fault) String() string {
	var l line
	l.b.Grow(160) // most fit
	l.begin()
	l.number("id", int64(f.ID))
	l.text("kind", f.Kind)
	l.text("target", f.Target)
	l.text("from", f.From)
	l.text("to", f.To)
	l.duration("at", f.At)
	if !f.On.IsZero() {
		l.key("on")
		l.begin()
		l.text("event", string(f.On.Event))
		l.text("process", f.On.Process)
		l.text("owner", f.On.Owner)
		l.text("account", f.On.Account)
		l.text("payout", f.On.Payout)
		l.text("kind", f.On.Kind)
		l.text("state", f.On.State)
		l.number("nth", int64(f.On.Nth))
		l.end()
	}
	l.duration("after", f.After)
	l.duration("for", f.For)
	l.text("way", f.Way)
	l.text("mode", f.Mode)
	l.duration("extra", f.Extra)
	l.number("count", int64(f.Count))
	l.duration("step", f.Step)
	l.number("drift_ppm", f.DriftPPM)
	l.duration("loses", f.Loses)
	l.text("client", f.Client)
	l.duration("every", f.Every)
	l.text("payout", f.Payout)
	l.end()
	return l.b.String()
}

// line writes one flow mapping. It is written by hand because each strike records its fault and a
// general encoder takes longer than the rest of the strike.
type line struct {
	b     strings.Builder
	comma bool
}

func (l *line) begin() { l.b.WriteByte('{'); l.comma = false }
func (l *line) end()   { l.b.WriteByte('}'); l.comma = true }

func (l *line) key(name string) {
	if l.comma {
		l.b.WriteString(", ")
	}
	l.comma = true
	l.b.WriteString(name)
	l.b.WriteString(": ")
}

func (l *line) text(name, v string) {
	if v == "" {
		return
	}
	l.key(name)
	if plain(v) {
		l.b.WriteString(v)
	} else {
		l.b.WriteString(strconv.Quote(v))
	}
}

func (l *line) number(name string, v int64) {
	if v != 0 {
		l.key(name)
		l.b.WriteString(strconv.FormatInt(v, 10))
	}
}

func (l *line) duration(name string, v time.Duration) {
	if v != 0 {
		l.key(name)
		l.b.WriteString(FormatDuration(v))
	}
}

// plain reports whether YAML reads v as a string without quotes: a name that begins with a letter
// and is none of the words that YAML takes for something else.
func plain(v string) bool {
	for i := range len(v) {
		c := v[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || !(c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.' || c == '/')) {
			return false
		}
	}
	switch strings.ToLower(v) {
	case "true", "false", "yes", "no", "on", "off", "null", "y", "n":
		return false
	}
	return v != ""
}

// FormatDuration writes d as scenario files do: 1m rather than 1m0s.
func FormatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-2]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-2]
	}
	return s
}
