package checker

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"dlsim/history"
)

// advance is one write of a mark: the value its transaction saw and the one it wrote, between the
// proxy's call and its answer.
type advance struct {
	account       int32
	at            int32 // the MarkWritten event
	seen, wrote   int64
	begin, answer int32 // positions; never where the answer did not come or left it open
	acknowledged  bool
}

// never is a position after every event.
const never = int32(math.MaxInt32)

// register judges one account's mark. Each write saw what the one before it wrote and wrote more,
// so sorting by what was written gives the only order there can be; it must chain, and no
// operation in it may have begun after a later one was answered.
func (c *Checker) register(j *Judgement, ops []advance) {
	for i := range ops {
		o := &ops[i]
		e := &c.events[o.at]
		if o.wrote <= o.seen {
			if v := j.found(MarkWentBack, e.ID); v != nil {
				v.Sentence = fmt.Sprintf("The mark of %s went from %d to %d%s.", e.Account, o.seen, o.wrote, c.deleted(e))
			}
			return
		}
		if i == 0 {
			continue
		}
		before := &ops[i-1]
		if o.seen != before.wrote {
			if o.at < before.at {
				o, before = before, o // tell it in the order in which it happened
			}
			if v := j.found(MarkWentBack, c.id(before.at), c.id(o.at)); v != nil {
				v.Sentence = fmt.Sprintf("The mark of %s stood at %d after token %d had been admitted, yet the admission of token %d saw %d.",
					e.Account, before.wrote, before.wrote, o.wrote, o.seen)
			}
			return
		}
	}
	latest := len(ops) - 1 // of those still to come in the order, the one answered first
	for i := len(ops) - 2; i >= 0; i-- {
		if ops[i].begin > ops[latest].answer {
			ids := []int64{c.id(ops[latest].at), c.id(ops[latest].answer), c.id(ops[i].begin), c.id(ops[i].at)}
			slices.Sort(ids)
			if v := j.found(MarkOutOfTime, ids...); v != nil {
				v.Sentence = fmt.Sprintf("The mark of %s: the admission of token %d was answered before that of token %d began, which yet comes before it.",
					c.events[ops[i].at].Account, ops[latest].wrote, ops[i].wrote)
			}
			return
		}
		if ops[i].answer < ops[latest].answer {
			latest = i
		}
	}
}

func (c *Checker) deleted(e *history.Event) string {
	if e.Note == "" {
		return ""
	}
	return " (" + e.Note + ")"
}

// advances lists every write of a mark by account and by value written. A write that its store lost
// again and that no proxy was told of may as well never have happened: an operation whose outcome
// is unknown. One that was acknowledged stays, and whoever saw the older value gives it away.
func (c *Checker) advances() []advance {
	c.ops = c.ops[:0]
	for n := range c.marks {
		m := &c.marks[n]
		e := &c.events[m.at]
		switch {
		case m.account < 0:
		case m.lost:
			c.undo(m.account, e.Token)
		case e.Token == 0 && e.PriorToken == 0: // a row made ready without a mark in it
		default:
			o := advance{account: m.account, at: m.at, seen: e.PriorToken, wrote: e.Token, begin: m.at, answer: m.at, acknowledged: true}
			if m.admission >= 0 {
				c.callOf(&o, &c.submissions[m.admission])
			}
			c.ops = append(c.ops, o)
		}
	}
	sortAdvances(c.ops)
	return c.ops
}

// callOf widens an operation from its commit to the proxy's call that caused it.
func (c *Checker) callOf(o *advance, s *submission) {
	if s.admit < 0 {
		return
	}
	call := &c.admits[s.admit]
	o.begin, o.answer, o.acknowledged = call.at, never, false
	if call.done >= 0 && c.events[call.done].Kind == history.OK {
		o.answer, o.acknowledged = call.done, true
	}
}

// undo drops the account's newest operations above value, as long as nobody was told of them.
func (c *Checker) undo(account int32, value int64) {
	for n := len(c.ops) - 1; n >= 0; n-- {
		o := &c.ops[n]
		if o.account != account {
			continue
		}
		if o.wrote <= value || o.acknowledged {
			return
		}
		c.ops = append(c.ops[:n], c.ops[n+1:]...)
	}
}

// sortAdvances orders by account and value written; equal values by what they saw and then as
// committed, so that the witness is always the same.
func sortAdvances(ops []advance) {
	slices.SortFunc(ops, func(a, b advance) int {
		return cmp.Or(cmp.Compare(a.account, b.account), cmp.Compare(a.wrote, b.wrote),
			cmp.Compare(a.seen, b.seen), cmp.Compare(a.at, b.at))
	})
}
