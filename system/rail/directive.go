package rail

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"dlsim/system/wire"
)

// DirectiveName is the name under which the rail asks its host for its standing instruction.
const DirectiveName = "rail"

// Misbehaviour is one way for the rail to be a rail.
type Misbehaviour string

// The misbehaviours.
const (
	// NoAnswer takes the request and neither pays nor answers.
	NoAnswer Misbehaviour = "timeout"
	// Late pays after Delay, whether or not the caller is still there.
	Late Misbehaviour = "late"
	// Slow pays at once and answers after Delay.
	Slow Misbehaviour = "slow"
	// Execute5xx pays and answers 500.
	Execute5xx Misbehaviour = "execute-then-5xx"
	// Decline refuses: no money moves.
	Decline Misbehaviour = "decline"
)

// Directive is a standing instruction to the rail. Its written form is
//
//	KIND [DELAY] [next=N] [payout=ID]
//
// e.g. "late 3s", "decline next=1" or "slow 800ms payout=payout-7". The zero value, written "",
// has the rail behave.
type Directive struct {
	Kind   Misbehaviour
	Delay  time.Duration // of Late and Slow; the rail caps it at its MaxDelay
	Next   int           // only the next so many payments; 0 is all
	Payout string        // only payments with this memo; "" is all
}

// String is the written form.
func (d Directive) String() string {
	var b strings.Builder
	b.WriteString(string(d.Kind))
	if d.Delay > 0 {
		b.WriteString(" " + d.Delay.String())
	}
	if d.Next > 0 {
		b.WriteString(" next=" + strconv.Itoa(d.Next))
	}
	if d.Payout != "" {
		b.WriteString(" payout=" + d.Payout)
	}
	return b.String()
}

// ParseDirective reads the written form. The error says which word is wrong.
func ParseDirective(s string) (Directive, error) {
	words := strings.Fields(s)
	if len(words) == 0 {
		return Directive{}, nil
	}
	d := Directive{Kind: Misbehaviour(words[0])}
	switch d.Kind {
	case NoAnswer, Late, Slow, Execute5xx, Decline:
	default:
		return Directive{}, fmt.Errorf("rail directive %q: no misbehaviour is called %q", s, words[0])
	}
	for _, w := range words[1:] {
		key, value, named := strings.Cut(w, "=")
		var err error
		switch {
		case named && key == "next":
			if d.Next, err = strconv.Atoi(value); err == nil && d.Next <= 0 {
				err = fmt.Errorf("must be positive")
			}
		case named && key == "payout":
			if d.Payout = value; !wire.ValidID(value) {
				err = fmt.Errorf("not an id")
			}
		case !named && d.Delay == 0:
			if d.Delay, err = time.ParseDuration(w); err == nil && d.Delay <= 0 {
				err = fmt.Errorf("must be positive")
			}
		default:
			err = fmt.Errorf("unknown word")
		}
		if err != nil {
			return Directive{}, fmt.Errorf("rail directive %q: %q: %w", s, w, err)
		}
	}
	if delayed := d.Kind == Late || d.Kind == Slow; delayed != (d.Delay > 0) {
		return Directive{}, fmt.Errorf("rail directive %q: a delay belongs to late and slow, and to nothing else", s)
	}
	return d, nil
}

// orders follows the standing instruction through its changes and counts what "next" allows.
type orders struct {
	text string
	now  Directive
	left int // of now.Next
}

// take returns what to do with the payment of a memo under the standing instruction text. A text
// that does not parse is a mistake of whoever gave it, and a bug: the harness parses before it gives.
func (o *orders) take(text, memo string) Directive {
	if text != o.text {
		d, err := ParseDirective(text)
		if err != nil {
			panic(err.Error())
		}
		o.text, o.now, o.left = text, d, d.Next
	}
	if o.now.Payout != "" && o.now.Payout != memo {
		return Directive{}
	}
	if o.now.Next > 0 {
		if o.left == 0 {
			return Directive{}
		}
		o.left--
	}
	return o.now
}
