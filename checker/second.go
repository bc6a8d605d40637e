package checker

import (
	"fmt"

	"github.com/anishathalye/porcupine"

	"dlsim/history"
)

// MaxPartition is how many operations of one lock or account Porcupine is given. It is quadratic
// in them: 100,000 take seconds and more than a gigabyte.
const MaxPartition = 10_000

// Opinion is what Porcupine says. The zero value is an opinion that was not asked for.
type Opinion struct {
	Verdict Verdict `json:"verdict"`
	Model   string  `json:"model"`
	// Steps counts model steps. The bound is in steps, not in seconds, so that the answer is the
	// same every time and everywhere.
	Steps int64 `json:"steps"`
	// Reason says where it disagrees, or why it is unknown.
	Reason string `json:"reason,omitempty"`
}

// askAgain has Porcupine judge INV-01 and INV-07 where it is wanted, and the clients' record judged
// as well. A judge that differs makes the verdict unknown.
func (c *Checker) askAgain(r *Report) {
	locks, mark := &r.Invariants[0], &r.Invariants[6]
	if c.wanted(locks) && len(c.grants) > 0 {
		c.askLocks(&locks.Second)
		compare(locks)
	}
	if c.wanted(mark) && len(c.ops) > 0 {
		c.askMarks(&mark.Second)
		if onlyPayments(mark) {
			mark.compareWith(Holds)
		} else {
			compare(mark)
		}
	}
	c.askClients(r)
}

func (c *Checker) wanted(j *Judgement) bool {
	return c.params.Second == Always || c.params.Second == OnViolation && j.Verdict == Violated
}

// onlyPayments says whether what was found is about payments only, of which the register knows nothing.
func onlyPayments(j *Judgement) bool {
	return j.Verdict == Violated && !j.Has(MarkWentBack) && !j.Has(MarkOutOfTime)
}

func compare(j *Judgement) { j.compareWith(j.Verdict) }

// compareWith sets the first judge's verdict on what both have judged against the second's.
func (j *Judgement) compareWith(first Verdict) {
	if j.Second.Verdict == Unknown || j.Second.Verdict == NA || j.Second.Verdict == first {
		if j.Second.Verdict == first {
			j.Model += "; Porcupine agrees (" + j.Second.Model + ")"
		}
		return
	}
	j.Second.Reason = fmt.Sprintf("the linear judge says %s, Porcupine says %s", first, j.Second.Verdict)
	j.disagree(fmt.Sprintf("Checkers disagree on %s: %s (%s). One of them is wrong, which is a bug in dlsim.",
		j.ID, j.Second.Reason, j.Second.Model))
}

func (j *Judgement) disagree(reason string) {
	j.Verdict, j.Reason = Unknown, reason
}

// askLocks gives Porcupine each lock's operations as its store committed them. Each took effect at
// one known moment, so an operation's interval is that moment.
func (c *Checker) askLocks(o *Opinion) {
	o.Model = FencedLease.String()
	o.Verdict = Holds
	perKey := make([][]porcupine.Operation, len(c.account))
	for at := range c.events {
		e := &c.events[at]
		in := LockInput{Owner: e.Owner, Token: e.Token, Clock: e.Clock, Expires: e.Expires}
		switch e.Op {
		case history.LockGranted:
			in.Action = Acquire
		case history.LockRenewed:
			in.Action = Renew
		case history.LockReleased:
			in.Action = Release
		case history.LockExpired:
			in.Action = Expire
		default:
			continue
		}
		if key := c.accounts.find(e.Account); key >= 0 && e.Note != history.Lost {
			perKey[key] = append(perKey[key], operation(in, int32(at), int32(at)))
		}
	}
	for key, ops := range perKey {
		c.ask(o, FencedLease.Model(), ops, "the lock of "+c.accounts.list[key])
	}
}

func (c *Checker) askMarks(o *Opinion) {
	o.Model = "register that only rises"
	o.Verdict = Holds
	for lo := 0; lo < len(c.ops); {
		hi := lo
		initial := c.ops[lo].seen
		var ops []porcupine.Operation
		for ; hi < len(c.ops) && c.ops[hi].account == c.ops[lo].account; hi++ {
			a := &c.ops[hi]
			ops = append(ops, operation(RegisterInput{Action: Advance, Seen: a.seen, Wrote: a.wrote}, a.begin, a.answer))
		}
		c.ask(o, Register(initial), ops, "the mark of "+c.accounts.list[c.ops[lo].account])
		lo = hi
	}
}

// operation spans from one event to another. Porcupine's intervals are closed: each event gets two
// instants, so that an answer is before whatever begins at the next event.
func operation(input any, begin, answer int32) porcupine.Operation {
	return porcupine.Operation{Input: input, Call: 2 * int64(begin), Return: 2*int64(answer) + 1}
}

// ask judges one partition and adds to the opinion. Each partition is a call of its own: Porcupine
// would judge several side by side and stop at the first that fails, whichever that is today.
func (c *Checker) ask(o *Opinion, m porcupine.Model, ops []porcupine.Operation, what string) {
	if len(ops) == 0 || o.Verdict == Violated {
		return
	}
	if len(ops) > MaxPartition {
		o.Verdict = Unknown
		o.Reason = fmt.Sprintf("%s has %d operations, more than the %d Porcupine is given", what, len(ops), MaxPartition)
		return
	}
	b := bound{left: c.params.Steps}
	legal := porcupine.CheckOperations(b.model(m), ops)
	o.Steps += c.params.Steps - b.left
	switch {
	case legal:
	case b.spent:
		o.Verdict = Unknown
		o.Reason = fmt.Sprintf("no answer about %s within %d steps", what, c.params.Steps)
	default:
		o.Verdict, o.Reason = Violated, "no order explains "+what
	}
}

// bound stops a search after so many steps by calling every further one illegal.
type bound struct {
	left  int64
	spent bool
}

func (b *bound) model(m porcupine.Model) porcupine.Model {
	step := m.Step
	m.Step = func(state, input, output any) (bool, any) {
		if b.left == 0 {
			b.spent = true
			return false, state
		}
		b.left--
		return step(state, input, output)
	}
	return m
}
