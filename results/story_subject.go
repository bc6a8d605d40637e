package results

import (
	"slices"

	"dlsim/history"
)

// subject is what a story follows.
type subject struct {
	witness   map[int64]bool
	breaks    map[int64][]string // an event: the rules that it broke, every violated verdict counted
	payouts   map[string]bool
	accounts  map[string]bool
	tokens    map[int64]bool // of those accounts, carried by anything told
	processes map[string]bool
}

// subjectOf follows main's witness; the others only mark the events that broke them.
func subjectOf(events []history.Event, main *Verdict, verdicts []Verdict) *subject {
	s := &subject{
		witness: map[int64]bool{}, breaks: map[int64][]string{},
		payouts: map[string]bool{}, accounts: map[string]bool{},
		tokens: map[int64]bool{}, processes: map[string]bool{},
	}
	for _, id := range main.Witness {
		s.witness[id] = true
	}
	for i := range verdicts {
		if v := &verdicts[i]; v.Value == Violated && len(v.Witness) > 0 {
			last := slices.Max(v.Witness)
			s.breaks[last] = append(s.breaks[last], v.ID)
		}
	}
	for i := range events {
		if e := &events[i]; s.witness[e.ID] {
			note(s.payouts, e.Payout)
			note(s.accounts, e.Account)
			s.carry(e)
		}
	}
	// A payout's account may stand only in other events of it; its tokens and processes always do.
	for i := range events {
		if e := &events[i]; e.Payout != "" && s.payouts[e.Payout] {
			note(s.accounts, e.Account)
			s.carry(e)
		}
	}
	for i := range events { // an owner of one of those tokens is a party even if it did nothing more
		if e := &events[i]; e.Op == history.LockGranted && s.holds(e) {
			note(s.processes, e.Owner)
		}
	}
	return s
}

func (s *subject) carry(e *history.Event) {
	if e.Token != 0 {
		s.tokens[e.Token] = true
	}
	note(s.processes, e.Process)
	note(s.processes, e.Owner)
}

// holds says whether a lock event is about a token that the story needs.
func (s *subject) holds(e *history.Event) bool {
	return s.accounts[e.Account] && s.tokens[e.Token]
}

func note(set map[string]bool, name string) {
	if name != "" {
		set[name] = true
	}
}
