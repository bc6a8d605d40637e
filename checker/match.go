package checker

import "dlsim/history"

// match ties together what the resources and the clients recorded of the same thing, once
// everything is known: an admission, its mark and the proxy's own call; a payment and its sending.
func (x *index) match() {
	for n := range x.submissions {
		s := &x.submissions[n]
		e := &x.events[s.at]
		if e.State != stateIntent || s.lost {
			continue
		}
		call := x.admittedBy(s.row, e.Token)
		// A row that stays INTENT under the same token is an upsert by a proxy whose checks are off,
		// or the reconciler's stamp on it. Only the former has a call of its own.
		if stamp := e.PriorState == stateIntent && e.PriorToken == e.Token; stamp && call < 0 {
			continue
		}
		s.admission = true
		if call >= 0 {
			s.admit, x.admits[call].used = call, true
		}
		if m, ok := x.markOf[inTx{e.Tx, s.account, s.demoted}]; ok && e.Tx != 0 {
			if w := &x.events[x.marks[m].at]; w.Process == e.Process && w.Token == e.Token {
				s.mark, x.marks[m].admission = m, int32(n)
			}
		}
	}
	for n := range x.submissions {
		if s := &x.submissions[n]; s.admission && s.mark < 0 {
			x.markElsewhere(int32(n))
		}
	}
	for i := range x.payments {
		m := &x.payments[i]
		if r := x.requests.find(x.events[m.at].Request); r >= 0 {
			m.forward = x.asked[r]
		}
	}
}

// admittedBy finds the proxy's call that wrote this version: about the same payout and token,
// begun before it, not refused, and not answered before it. Of several, one that was answered with
// success is likelier than one whose answer nobody saw.
func (x *index) admittedBy(r row, token int64) int32 {
	best, bestRank := int32(-1), 0
	for n := x.payout[r.payout].admit; n >= 0; n = x.admits[n].prev {
		c := &x.admits[n]
		if c.used || c.at > r.at || x.events[c.at].Token != token {
			continue
		}
		rank := 0
		switch {
		case c.done < 0 || x.events[c.done].Kind == history.Info:
			rank = 2
		case x.events[c.done].Kind == history.OK && c.done > r.at:
			rank = 3
		case x.events[c.done].Kind == history.OK:
			// Answered before it was done: no order can explain it, and the register will say so.
			// A stamp on a row admitted long ago must not be taken for that.
			if x.events[r.at].PriorState == "" {
				rank = 1
			}
		}
		if rank > bestRank {
			best, bestRank = n, rank
		}
	}
	return best
}

// markElsewhere looks for a mark that is kept in another store than the submissions, where no
// transaction can join the two: it counts when it was written while the proxy was admitting.
func (x *index) markElsewhere(n int32) {
	s := &x.submissions[n]
	if s.admit < 0 {
		return
	}
	e, c := &x.events[s.at], &x.admits[s.admit]
	for m := range x.marks {
		w := &x.events[x.marks[m].at]
		if x.marks[m].account != s.account || x.marks[m].lost || x.marks[m].admission >= 0 ||
			w.Token != e.Token || w.Process == e.Process || x.marks[m].at < c.at {
			continue
		}
		if c.done >= 0 && x.marks[m].at > c.done {
			return
		}
		s.mark, x.marks[m].admission = int32(m), n
		return
	}
}

// The states that rows carry, as DESIGN 2.2 names them.
const (
	stateIntent    = "INTENT"
	statePosted    = "POSTED"
	stateFailed    = "FAILED"
	stateCancelled = "CANCELLED"
	debit          = "DEBIT"
	credit         = "CREDIT"
)

// final says whether a payout in this state has reached its end.
func final(state string) bool {
	return state == statePosted || state == stateFailed || state == stateCancelled
}

// id is the id of the event at a position.
func (x *index) id(at int32) int64 { return x.events[at].ID }

// end is the true time at which the history ends, in ns.
func (x *index) end() int64 {
	switch {
	case x.ended >= 0:
		return x.events[x.ended].Time
	case len(x.events) > 0:
		return x.events[len(x.events)-1].Time
	}
	return 0
}
