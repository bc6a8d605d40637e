package checker

import (
	"fmt"

	"dlsim/history"
)

// holdersFencedOut looks behind each lock.fenced.out for a grant that its sender still held: then the
// fence refused who it is there to protect. The lock may be for a part of the account only.
func (c *Checker) holdersFencedOut(o *Observation) {
	for _, at := range c.notes {
		e := &c.events[at]
		if e.Op != history.FencedOut {
			continue
		}
		for n := range c.grants {
			g := &c.grants[n]
			was := &c.events[g.at]
			if g.at > at || g.token != e.Token || was.Owner != e.Process || g.overAt >= 0 && g.overAt < at ||
				g.validUntil != 0 && g.validUntil <= e.Time {
				continue
			}
			if v := o.seen(was.ID, e.ID); v != nil {
				v.Sentence = fmt.Sprintf("%s was fenced out of payout %s under token %d, by which it still held the lock of %s.",
					e.Process, e.Payout, e.Token, was.Account)
			}
			break
		}
	}
}
