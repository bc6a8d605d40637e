package checker

import (
	"cmp"
	"fmt"
	"slices"

	"dlsim/history"
)

// claim is a token that a client was told of: a grant it was given, or an admission it was granted.
type claim struct {
	account       int32
	token         int64
	begin, answer int32
	who           string
}

// askClients judges what the clients alone observed, outcomes still unknown. Only successes tell
// anything: an operation that may or may not have happened can only raise a token, and leaving it
// out is always allowed. Tokens given later must be higher. Where this is broken the truth must be
// broken too; if it is not, the truth record lacks something.
func (c *Checker) askClients(r *Report) {
	locks, stale, mark := &r.Invariants[0], &r.Invariants[4], &r.Invariants[6]
	c.claims = c.claims[:0]
	for i := range c.acquires {
		c.claim(&c.acquires[i])
	}
	if a, b := c.outOfOrder(true); a != nil && locks.Verdict != Violated {
		locks.contradict(c, a, b, "were granted")
	}
	c.claims = c.claims[:0]
	for i := range c.admits {
		c.claim(&c.admits[i])
	}
	if a, b := c.outOfOrder(false); a != nil && stale.Verdict != Violated && mark.Verdict != Violated {
		mark.contradict(c, a, b, "were admitted")
	}
}

func (c *Checker) claim(call *call) {
	if call.done < 0 || call.account < 0 {
		return
	}
	e := &c.events[call.done]
	token := e.Token
	if token == 0 {
		token = c.events[call.at].Token
	}
	if e.Kind == history.OK && token != 0 {
		c.claims = append(c.claims, claim{call.account, token, call.at, call.done, e.Process})
	}
}

// outOfOrder finds two claims on one account of which the one answered before the other began has
// the token that is not lower. A lock may give its holder the same grant again.
func (c *Checker) outOfOrder(again bool) (first, second *claim) {
	slices.SortFunc(c.claims, func(a, b claim) int {
		return cmp.Or(cmp.Compare(a.account, b.account), cmp.Compare(a.token, b.token), cmp.Compare(a.begin, b.begin))
	})
	soonest := -1 // answered first among the claims with higher tokens
	for i := len(c.claims) - 1; i >= 0; i-- {
		a := &c.claims[i]
		if i+1 == len(c.claims) || c.claims[i+1].account != a.account {
			soonest = -1
		} else if next := &c.claims[i+1]; next.token == a.token && !(again && next.who == a.who) {
			return a, next
		}
		if soonest >= 0 && c.claims[soonest].answer < a.begin && c.claims[soonest].token > a.token {
			return &c.claims[soonest], a
		}
		if soonest < 0 || a.answer < c.claims[soonest].answer {
			soonest = i
		}
	}
	return nil, nil
}

func (j *Judgement) contradict(c *Checker, a, b *claim, what string) {
	j.disagree(fmt.Sprintf("Checkers disagree on %s: by the clients' own record tokens %d (%s, event %d) and %d (%s, event %d) of %s %s out of order, which the truth does not show. The truth record lacks something, which is a bug in dlsim.",
		j.ID, a.token, a.who, c.id(a.answer), b.token, b.who, c.id(b.answer), c.accounts.list[a.account], what))
}
