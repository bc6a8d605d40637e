package checker

import (
	"fmt"

	"dlsim/history"
)

// What lock services tell, held against what their store did: a part of falseAnswers.

// grantDenied looks for a grant that was made to whoever was certain to have none. A request of its own that nobody
// answered, or answered in time, may be the one that got it.
func (c *Checker) grantDenied(o *Observation, at int32, e *history.Event) {
	call, n := c.position(e.Call), c.accounts.find(e.Account)
	if call < 0 || n < 0 {
		return
	}
	g := c.account[n].lastGrant
	for g >= 0 && (c.grants[g].at > at || c.events[c.grants[g].at].Owner != e.Owner) {
		g = c.grants[g].prev
	}
	if g < 0 || c.grants[g].at < call {
		return
	}
	for i := range c.acquires {
		a := &c.acquires[i]
		if a.at < call && a.account == n && c.events[a.at].Process == e.Process &&
			(a.done < 0 || a.done > call || c.events[a.done].Kind == history.Info) {
			return
		}
	}
	granted := &c.events[c.grants[g].at]
	if v := o.seen(granted.ID, e.ID); v != nil {
		v.Sentence = fmt.Sprintf("%s was told %s of the lock of %s, which had just been granted to it under token %d.",
			e.Process, e.Error, e.Account, granted.Token)
	}
}

// releasedBefore finds the store's release of a grant, nil where it made none by then.
func (c *Checker) releasedBefore(g *grant, at int32) *history.Event {
	for i := at - 1; i > g.at; i-- {
		if e := &c.events[i]; e.Op == history.LockReleased && e.Token == g.token && e.Account == c.events[g.at].Account {
			return e
		}
	}
	return nil
}
