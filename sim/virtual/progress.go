package virtual

import (
	"dlsim/history"
	"dlsim/sim"
)

// progress follows the payouts' states to know when a run has nothing left to do.
type progress struct {
	expected int
	states   []payoutState
	final    int
	healed   bool
	book     *sim.Book // nil where nothing is taken back
}

type payoutState struct {
	payout string
	final  bool
}

func isFinal(state string) bool {
	return state == "POSTED" || state == "FAILED" || state == "CANCELLED"
}

func (p *progress) see(e *history.Event) {
	if p.book != nil {
		p.book.See(e)
	}
	switch {
	case e.Op == history.AllHealed:
		p.healed = true
	case e.Op == history.PayoutWritten && e.Process == sim.Paydb:
		p.set(e.Payout, isFinal(e.State))
	}
}

func (p *progress) set(payout string, final bool) {
	for i := range p.states {
		if s := &p.states[i]; s.payout == payout {
			if s.final != final {
				s.final = final
				if final {
					p.final++
				} else {
					p.final--
				}
			}
			return
		}
	}
	p.states = append(p.states, payoutState{payout, final})
	if final {
		p.final++
	}
}

// quiescent says whether every payout is final, all faults have healed, and nothing is on its way
// that could still move money: no task at the proxies or the rail, no request to either; and, where
// the rail takes payments back, that none has to be.
func (w *World) quiescent() bool {
	p := &w.progress
	if !p.healed || p.final < p.expected || p.book != nil && !p.book.Settled() {
		return false
	}
	if w.net.inFlight > 0 {
		return false
	}
	for _, m := range w.order {
		if (m.role == sim.RoleProxy || m.role == sim.RoleRail) && (m.node.Tasks() > 0 || !m.node.Up()) {
			return false
		}
	}
	return true
}
