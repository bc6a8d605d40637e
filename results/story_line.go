package results

import (
	"fmt"
	"strings"

	"dlsim/history"
)

// tell turns the events that matter into lines, in order.
func (s *subject) tell(events []history.Event) []line {
	var lines []line
	paid := map[string]int{}
	for i := range events {
		e := &events[i]
		if e.Op == history.RailPaid {
			paid[e.Payout]++
		}
		text, w := s.sentence(e, paid[e.Payout])
		if text == "" && (s.witness[e.ID] || s.breaks[e.ID] != nil && s.accounts[e.Account]) {
			text = plainEvent(e)
		}
		if text == "" {
			continue
		}
		if s.witness[e.ID] {
			w = must
		}
		text = fmt.Sprintf("%8.3f s  %s", float64(e.Time)/1e9, text)
		if broken := s.breaks[e.ID]; broken != nil {
			text += "  <== breaks " + strings.Join(broken, ", ")
			w = must
		}
		lines = append(lines, line{OneLine(text), w})
	}
	return lines
}

// sentence says what e did, or "" when the story does without it. nth counts the payments of e's
// payout so far.
func (s *subject) sentence(e *history.Event, nth int) (string, weight) {
	switch e.Op {
	case history.FaultBegun, history.FaultEnded, history.StoreLost, history.AllHealed,
		history.ProcessKilled, history.ProcessStarted:
		return s.disturbance(e)
	case history.LockGranted, history.LockReleased, history.LockExpired:
		return s.grant(e)
	case history.RailRotated: // which is everyone's
		return join(fmt.Sprintf("the rail refuses every older credential from now on (%s)", e.Reference), e.Note), grants
	}
	if e.Payout == "" || !s.payouts[e.Payout] {
		return "", details
	}
	if e.Truth {
		return s.fact(e, nth)
	}
	return s.belief(e)
}

// disturbance tells of faults: those on the story's processes, and those on stores and links,
// which are everyone's.
func (s *subject) disturbance(e *history.Event) (string, weight) {
	switch e.Op {
	case history.FaultBegun:
		if s.touches(e.Owner) {
			return fmt.Sprintf("FAULT %s on %s begins", e.State, target(e)), must
		}
	case history.FaultEnded:
		if s.touches(e.Owner) {
			return join(fmt.Sprintf("fault %s on %s ends", e.State, target(e)), e.Note), must
		}
	case history.StoreLost:
		return join(e.Process+" came back without writes it had acknowledged", e.Note), must
	case history.ProcessKilled:
		if s.processes[e.Owner] {
			return e.Owner + " dies, its memory gone", steps
		}
	case history.ProcessStarted:
		if s.processes[e.Owner] && e.Time > 0 {
			return e.Owner + " starts again", steps
		}
	case history.AllHealed:
		return "all faults are over", details
	}
	return "", details
}

// touches says whether a fault's target concerns the story: one of its processes, or something
// that is no process of its own kind (a store, a link, everyone).
func (s *subject) touches(target string) bool {
	if target == "" {
		return true
	}
	for name := range strings.FieldsFuncSeq(target, func(r rune) bool { return strings.ContainsRune("→>, ", r) }) {
		if s.processes[name] || !replaceable(name) {
			return true
		}
	}
	return false
}

// replaceable says whether name is one of several alike, so that a fault on it may be another story.
func replaceable(name string) bool {
	for _, role := range []string{"executor-", "proxy-", "lockd-"} {
		if strings.HasPrefix(name, role) {
			return true
		}
	}
	return name == "reconciler" || name == "operator"
}

func (s *subject) grant(e *history.Event) (string, weight) {
	if !s.holds(e) {
		return "", details
	}
	switch e.Op {
	case history.LockGranted:
		lease := ""
		if e.Expires > e.Clock && e.Clock != 0 {
			lease = fmt.Sprintf(" for %.3f s", float64(e.Expires-e.Clock)/1e9)
		}
		return fmt.Sprintf("%s is granted %s with token %d%s", e.Owner, e.Account, e.Token, lease), grants
	case history.LockExpired:
		return fmt.Sprintf("the lease of token %d runs out (%s of %s)", e.Token, e.Account, e.Owner), grants
	default:
		return fmt.Sprintf("%s gives token %d of %s back", e.Owner, e.Token, e.Account), details
	}
}

// fact tells what a store or the rail really did.
func (s *subject) fact(e *history.Event, nth int) (string, weight) {
	switch e.Op {
	case history.RailPaid:
		again := ""
		if nth > 1 {
			again = fmt.Sprintf(", for the %s time", ordinal(nth))
		}
		return fmt.Sprintf("MONEY MOVES: the rail pays %s of payout %s%s (reference %s)", minor(e.Amount), e.Payout, again, e.Reference), must
	case history.RailVoided:
		return fmt.Sprintf("MONEY COMES BACK: the rail voids %s of payout %s (reference %s)", minor(e.Amount), e.Payout, e.Reference), must
	case history.SubmissionWritten:
		switch {
		case e.Note == history.Lost:
			return fmt.Sprintf("the submission of payout %s is lost from %s", e.Payout, e.Process), must
		case e.State == "":
			return fmt.Sprintf("the submission of payout %s is deleted", e.Payout), must
		case e.State == "INTENT":
			return fmt.Sprintf("the proxy's intent for payout %s is committed with token %d", e.Payout, e.Token), grants
		default:
			return fmt.Sprintf("the submission of payout %s becomes %s", e.Payout, e.State), steps
		}
	case history.PayoutWritten:
		if e.State == e.PriorState && e.Note == "" {
			if e.Token == e.PriorToken {
				return "", details
			}
			return fmt.Sprintf("payout %s stays %s, its fence now %d", e.Payout, e.State, e.Token), steps
		}
		switch "" {
		case e.PriorState:
			return "", details
		case e.State:
			return join(fmt.Sprintf("payout %s is gone from %s", e.Payout, e.Process), e.Note), steps
		}
		return join(fmt.Sprintf("payout %s goes from %s to %s, fence %d", e.Payout, e.PriorState, e.State, e.Token), e.Note), steps
	}
	return "", details
}

// belief tells what a process did, where no store's record says the same.
func (s *subject) belief(e *history.Event) (string, weight) {
	switch {
	case e.Op == history.PayoutSubmit && e.Kind == history.Invoke:
		return fmt.Sprintf("%s submits payout %s with token %d", e.Process, e.Payout, e.Token), steps
	case e.Op == history.PayoutSubmit && e.Kind == history.Fail:
		return fmt.Sprintf("%s is refused: %s (payout %s, token %d)", e.Process, e.Error, e.Payout, e.Token), grants
	case e.Op == history.PayoutSubmit && e.Kind == history.Info:
		return fmt.Sprintf("%s cannot know whether payout %s was paid%s", e.Process, e.Payout, because(e)), steps
	case e.Op == history.ProxyAdmit && e.Kind == history.Info:
		return fmt.Sprintf("%s cannot know whether its admission of payout %s committed%s", e.Process, e.Payout, because(e)), steps
	case e.Op == history.RailForward && e.Kind == history.Invoke:
		return fmt.Sprintf("%s forwards payout %s (token %d) to the rail", e.Process, e.Payout, e.Token), grants
	case e.Op == history.RailForward && e.Kind == history.Fail:
		return fmt.Sprintf("%s is refused by the rail (%s, payout %s)", e.Process, e.Error, e.Payout), grants
	case e.Op == history.RailForward && e.Kind == history.Info:
		return fmt.Sprintf("%s gets no answer from the rail for payout %s%s", e.Process, e.Payout, because(e)), steps
	case e.Op == history.ReconcileDecide && e.Kind == history.OK:
		return join(fmt.Sprintf("%s decides payout %s: %s", e.Process, e.Payout, e.State), e.Note), steps
	case e.Op == history.ReconcileVoid && e.Kind == history.Invoke:
		return fmt.Sprintf("%s asks for payment %s of payout %s to be voided", e.Process, e.Reference, e.Payout), grants
	case e.Op == history.RailVoid && e.Kind != history.Invoke && e.Kind != history.OK:
		return fmt.Sprintf("%s gets no yes to its void from the rail%s", e.Process, because(e)), steps
	case e.Op == history.OperatorPay && e.Kind == history.Invoke:
		return fmt.Sprintf("a person pays payout %s by hand, past the proxy", e.Payout), must
	case e.Op == history.OperatorCancel && e.Kind == history.OK:
		return fmt.Sprintf("a person cancels payout %s", e.Payout), must
	case e.Op == history.DuplicateAttempted:
		return fmt.Sprintf("%s counts a duplicate attempt of payout %s with token %d", e.Process, e.Payout, e.Token), steps
	}
	return "", details
}

func because(e *history.Event) string {
	if e.Error == "" {
		return ""
	}
	return " (" + e.Error + ")"
}

// plainEvent tells a witness that has no sentence of its own.
func plainEvent(e *history.Event) string {
	if e.Op == history.MarkWritten {
		return join(fmt.Sprintf("the mark of %s goes from %d to %d", e.Account, e.PriorToken, e.Token), e.Note)
	}
	text := fmt.Sprintf("%s: %s %s", e.Process, e.Op, e.Kind)
	for _, f := range []struct{ name, value string }{
		{"payout", e.Payout}, {"account", e.Account}, {"owner", e.Owner}, {"state", e.State}, {"error", e.Error},
	} {
		if f.value != "" {
			text += ", " + f.name + " " + f.value
		}
	}
	if e.Token != 0 {
		text += fmt.Sprintf(", token %d", e.Token)
		if e.PriorToken != 0 {
			text += fmt.Sprintf(" after %d", e.PriorToken)
		}
	}
	if e.Op == history.AccountWritten {
		text += fmt.Sprintf(", balance %s after %s", minor(e.Amount), minor(e.PriorMoney))
	}
	return text
}

func target(e *history.Event) string {
	if e.Owner == "" {
		return "the system"
	}
	return e.Owner
}

func join(text, note string) string {
	if note == "" {
		return text
	}
	return text + ": " + note
}

// minor shows minor units as a decimal amount.
func minor(n int64) string {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	return fmt.Sprintf("%s%d.%02d", sign, n/100, n%100)
}

func ordinal(n int) string {
	switch n {
	case 2:
		return "second"
	case 3:
		return "third"
	}
	return fmt.Sprintf("%dth", n)
}
