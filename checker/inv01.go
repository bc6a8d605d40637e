package checker

import (
	"fmt"

	"dlsim/history"
)

// grant is one lock grant as its store made it.
type grant struct {
	row
	token      int64
	expires    int64 // by the store's own clock, renewals included; 0 when only the store ends it
	validUntil int64 // the same in true time, 0 when not known
	firstUntil int64 // validUntil before any renewal
	renewedAt  int32 // the last renewal
	priorEnds  int64 // expires of the grant before it, as it stood when this one was made
	overAt     int32 // the event that ended it, -1
	prev       int32 // the previous grant of this key, -1
	lost       bool  // the store forgot it
	returned   bool  // its holder asked for its release
	takenBy    int32 // the release of another grant that ended it, -1
}

// addLock folds the store's lock events. What a store forgot is not undone here: a grant that was
// made and acknowledged excludes others whether its store remembers it or not, and a release that
// was made has ended its grant.
func (x *index) addLock(at int32, e *history.Event) {
	r := x.row(at, e)
	if r.account < 0 {
		return
	}
	a := &x.account[r.account]
	if e.Note == history.Lost {
		x.loseLock(a, e)
		return
	}
	switch e.Op {
	case history.LockGranted:
		g := grant{row: r, token: e.Token, expires: e.Expires, overAt: -1, takenBy: -1, prev: a.lastGrant}
		if e.Expires != 0 && e.Clock != 0 {
			g.validUntil = e.Time + e.Expires - e.Clock
			g.firstUntil = g.validUntil
		}
		if g.prev >= 0 {
			g.priorEnds = x.grants[g.prev].expires
		}
		x.grants = append(x.grants, g)
		a.lastGrant = int32(len(x.grants) - 1)
	case history.LockRenewed:
		if g := x.granted(a, e.Token); g != nil {
			g.renewedAt = at
			if g.expires = e.Expires; e.Expires != 0 && e.Clock != 0 {
				g.validUntil = e.Time + e.Expires - e.Clock
			}
		}
	case history.LockReleased, history.LockExpired:
		if g := x.granted(a, e.Token); g != nil && g.overAt < 0 {
			g.overAt = at
			if e.Op == history.LockReleased && !g.returned && x.known(g) {
				g.takenBy = a.release(g)
			}
		}
	}
}

// known says whether whoever asked for the grant has learnt of it. One that nobody learnt of is taken
// back by the lock service itself, and that is nobody's loss.
func (x *index) known(g *grant) bool {
	for n := len(x.acquires) - 1; n >= 0; n-- {
		c := &x.acquires[n]
		if c.account != g.account || c.done < 0 {
			continue
		}
		if e := &x.events[c.done]; e.Kind == history.OK && e.Token == g.token {
			return true
		}
	}
	return false
}

// addRelease folds what the holder of a grant asked for, by the holder's own record.
func (x *index) addRelease(at int32, e *history.Event) {
	r := x.row(at, e)
	if r.account < 0 {
		return
	}
	a := &x.account[r.account]
	if e.Kind != history.Invoke {
		if settled := e.Kind == history.OK || e.Error == lockLost; settled && a.openRelease >= 0 && x.events[a.openRelease].ID == e.Call {
			a.openRelease = -1
		}
		return
	}
	a.lastRelease, a.openRelease = at, at
	if g := x.granted(a, e.Token); g != nil && e.Token != 0 {
		g.returned = true
	}
}

// loseLock notes which grants the store no longer knows: those above the token it now holds.
func (x *index) loseLock(a *accountFacts, e *history.Event) {
	gone := e.Op == history.LockReleased || e.Op == history.LockExpired
	for n := a.lastGrant; n >= 0; n = x.grants[n].prev {
		if g := &x.grants[n]; g.token > e.Token || gone && g.token == e.Token {
			g.lost = true
		}
	}
}

// granted finds the newest grant with this token; token 0 means the newest of all.
func (x *index) granted(a *accountFacts, token int64) *grant {
	for n := a.lastGrant; n >= 0; n = x.grants[n].prev {
		if g := &x.grants[n]; g.token == token || token == 0 {
			return g
		}
	}
	return nil
}

// Kinds of violation of INV-01.
const (
	TokenNotIncreasing = "token-not-increasing"
	OverlappingGrants  = "overlapping-grants"
)

const leaseModel = "lease by the lock store's own clock, tokens strictly increasing"

// exclusiveGrants judges INV-01 in the order in which the store granted.
func (c *Checker) exclusiveGrants(j *Judgement) {
	j.Model = leaseModel
	for n := range c.grants {
		g := &c.grants[n]
		e := &c.events[g.at]
		a := &c.account[g.account]
		j.Judged++
		if a.highestAt >= 0 && g.token <= a.highest {
			if v := j.found(TokenNotIncreasing, c.id(a.highestAt), e.ID); v != nil {
				v.Sentence = fmt.Sprintf("%s granted the lock of %s to %s with token %d after it had granted token %d to %s.",
					e.Process, e.Account, e.Owner, g.token, a.highest, c.events[a.highestAt].Owner)
			}
		}
		if o := c.outstanding(n); o != nil {
			was := &c.events[o.at]
			if v := j.found(OverlappingGrants, was.ID, e.ID); v != nil {
				v.Sentence = fmt.Sprintf("%s granted the lock of %s to %s (token %d) while %s still held it (token %d): not released, and %s.",
					e.Process, e.Account, e.Owner, g.token, was.Owner, o.token, leaseLeft(g.priorEnds, e.Clock))
			}
		}
		if a.highestAt < 0 || g.token > a.highest {
			a.highest, a.highestAt = g.token, g.at
		}
	}
	c.forgetHighest()
	j.conclude("no lock was granted")
}

// outstanding returns an earlier grant of the same key that is neither released nor expired when
// grant n is made. A grant is asked about only until the next one: whichever follows has ended it,
// rightly or not, so that one early grant is one violation.
func (c *Checker) outstanding(n int) *grant {
	g := &c.grants[n]
	if g.prev < 0 {
		return nil
	}
	o := &c.grants[g.prev]
	ended := o.overAt >= 0 && o.overAt < g.at
	expired := g.priorEnds != 0 && g.priorEnds <= c.events[g.at].Clock
	if ended || expired {
		return nil
	}
	return o
}

func leaseLeft(expires, clock int64) string {
	if expires == 0 {
		return "the store had not ended its lease"
	}
	return fmt.Sprintf("%.3f s of its lease left by the store's clock", float64(expires-clock)/1e9)
}

// forgetHighest makes the accounts' highest token ready for the next judge.
func (c *Checker) forgetHighest() {
	for i := range c.account {
		c.account[i].highest, c.account[i].highestAt = 0, -1
	}
}

// lockLost is the lock service's answer to a release that came too late.
const lockLost = "LOCK_LOST"

// release is the release that may have ended g although it named another grant: one that was asked for
// since, or one of before that has not been heard of; -1 for none.
func (a *accountFacts) release(g *grant) int32 {
	if a.lastRelease > g.at {
		return a.lastRelease
	}
	return a.openRelease
}
