package checker

import (
	"fmt"

	"dlsim/history"
)

// What a proxy tells about a submission, held against what there is to tell. Both are a part of falseAnswers:
// nothing is lost by such an answer until somebody acts on it.

// askedFalsely looks at an answer to "is there a submission of it?". NONE must not be told of a row that was
// committed before the question was put: whoever hears it submits.
func (c *Checker) askedFalsely(o *Observation, at int32, e *history.Event) {
	call, p := c.position(e.Call), c.payouts.find(e.Payout)
	if e.Kind != history.OK || e.State != "NONE" || call < 0 || p < 0 {
		return
	}
	n := c.payout[p].submission
	for n >= 0 && c.submissions[n].at > call {
		n = c.submissions[n].prev
	}
	if n < 0 || c.submissions[n].lost || c.submissions[n].demoted {
		return
	}
	row := &c.events[c.submissions[n].at]
	if row.State == "" { // taken away again
		return
	}
	if v := o.seen(row.ID, e.ID); v != nil {
		v.Sentence = fmt.Sprintf("%s was told that payout %s has no submission, although one under token %d had been committed.",
			e.Process, e.Payout, row.Token)
	}
}

// toldFalsely compares what a submitter was answered with what the proxy recorded of the admission: a refusal by
// the fence must be told as one. A yes must say what became of the submission.
func (c *Checker) toldFalsely(o *Observation, at int32, e *history.Event) {
	if e.Kind == history.OK && e.State != "ACCEPTED" && e.State != "REJECTED" {
		if v := o.seen(e.ID); v != nil {
			v.Sentence = fmt.Sprintf("%s took its submission of payout %s under token %d for done, without knowing whether it was paid.",
				e.Process, e.Payout, e.Token)
		}
		return
	}
	call, p := c.position(e.Call), c.payouts.find(e.Payout)
	if call < 0 || p < 0 || e.Kind == history.Info && e.Error == codeNoAnswer {
		return
	}
	for n := c.payout[p].admit; n >= 0 && c.admits[n].at > call; n = c.admits[n].prev {
		d := c.admits[n].done
		if d < 0 || d > at || c.events[d].Token != e.Token {
			continue
		}
		told := &c.events[d]
		if told.Kind == history.Fail && (told.Error == codeFencedOut || told.Error == codeDuplicate) && e.Error != told.Error {
			if v := o.seen(told.ID, e.ID); v != nil {
				v.Sentence = fmt.Sprintf("%s refused payout %s under token %d as %s and told %s %s.",
					told.Process, e.Payout, e.Token, told.Error, e.Process, e.Error+e.State)
			}
		}
		return
	}
}

// refusedFalsely looks for what a refusal was made for: a token as high that had been admitted, or a claim that
// had been replaced; or a submission of the payout. What the refused admission wrote itself is no reason.
func (c *Checker) refusedFalsely(o *Observation, at int32, e *history.Event) {
	call, p := c.position(e.Call), c.payouts.find(e.Payout)
	if call < 0 || p < 0 {
		return
	}
	why := "no token as high had been admitted for " + e.Account
	if e.Error == codeDuplicate {
		why = "it had no submission"
	}
	if c.reasonToRefuse(p, call, at, e) {
		return
	}
	if v := o.seen(e.ID); v != nil {
		v.Sentence = fmt.Sprintf("%s refused payout %s under token %d as %s, although %s.", e.Process, e.Payout, e.Token, e.Error, why)
	}
}

func (c *Checker) reasonToRefuse(payout, call, at int32, e *history.Event) bool {
	if e.Error == codeDuplicate {
		for n := c.payout[payout].submission; n >= 0; n = c.submissions[n].prev {
			if s := &c.submissions[n]; s.at < at && (s.at < call || c.events[s.at].Token != e.Token) {
				return true
			}
		}
		return false
	}
	for i := range c.marks {
		m := &c.marks[i]
		if token := c.events[m.at].Token; m.account >= 0 && c.accounts.list[m.account] == e.Account && m.at < at &&
			(token > e.Token || token == e.Token && m.at < call) {
			return true
		}
	}
	for n := c.rows.last[payout]; n >= 0; n = c.rows.prev[n] {
		if w := c.fences[n].at; w < at && c.events[w].Token > e.Token {
			return true
		}
	}
	return false
}

const (
	codeFencedOut = "FENCED_OUT"
	codeDuplicate = "DUPLICATE_SUBMISSION"
	codeNoAnswer  = "NO_ANSWER" // nothing was told, or it got lost
)
