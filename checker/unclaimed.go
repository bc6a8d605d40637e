package checker

import "fmt"

// unclaimed looks for submissions whose sender had tried to claim the payout under that token and had
// not: the row still belongs to whoever may cancel it, or to the next one who claims (DESIGN 2.3). A
// submission by a person is made without any claim and is not meant. falseAnswers has chained the rows.
func (c *Checker) unclaimed(o *Observation) {
	for i := range c.sends {
		s := &c.sends[i]
		e := &c.events[s.at]
		if s.payout < 0 || e.Token == 0 || !c.tried(s) {
			continue
		}
		if w := c.wrote(s.payout, "CLAIMED", e.Token); w != nil && w.ID < e.ID {
			continue
		}
		if v := o.seen(e.ID); v != nil {
			v.Sentence = fmt.Sprintf("%s submitted payout %s under token %d although its claim under that token had not taken effect.",
				e.Process, e.Payout, e.Token)
		}
	}
}

// tried says whether the sender tried to claim the payout under the submission's token before.
func (c *Checker) tried(s *call) bool {
	for n := c.payout[s.payout].claiming; n >= 0; n = c.claimings[n].prev {
		if at := c.claimings[n].at; at < s.at && c.events[at].Token == c.events[s.at].Token && c.events[at].Process == c.events[s.at].Process {
			return true
		}
	}
	return false
}
