package live

import (
	"time"

	"dlsim/history"
	"dlsim/sim"
)

// progress follows the payouts' states to know when a run has nothing left to do.
type progress struct {
	expected int
	final    map[string]bool
	healed   bool
	book     *sim.Book // nil where nothing is taken back
}

func (p *progress) see(e *history.Event) {
	if p.book != nil {
		p.book.See(e)
	}
	switch {
	case e.Op == history.AllHealed:
		p.healed = true
	case e.Op == history.PayoutWritten && e.Process == sim.Paydb:
		if p.final == nil {
			p.final = map[string]bool{}
		}
		p.final[e.Payout] = e.State == "POSTED" || e.State == "FAILED" || e.State == "CANCELLED"
	}
}

func (p *progress) done() bool {
	if !p.healed || len(p.final) < p.expected || p.book != nil && !p.book.Settled() {
		return false
	}
	for _, final := range p.final {
		if !final {
			return false
		}
	}
	return true
}

// still is how long the proxies and the rail must be seen idle: longer than a request takes to get
// from one process to another.
const still = 100 * time.Millisecond

// quiescent says whether every payout is final, all faults have healed, and nothing is on its way
// that could still move money: no request at the proxies or the rail, asked twice with a while
// between in which none arrived.
func (w *World) quiescent() bool {
	if !w.progress.done() || w.under > 0 || w.queue.recorded() > 0 {
		return false
	}
	before, ok := w.idle()
	if !ok {
		return false
	}
	time.Sleep(still)
	if w.queue.recorded() > 0 {
		return false
	}
	after, ok := w.idle()
	return ok && before == after
}

// idle counts the requests that reached proxies and rail so far; ok is false while one is served or
// on its way, or one of those processes does not answer.
func (w *World) idle() (served int64, ok bool) {
	for _, p := range w.processes {
		if p.role != sim.RoleProxy && p.role != sim.RoleRail {
			continue
		}
		c, ok := p.ask()
		if !ok || c.Busy > 0 || w.mesh.Waiting(p.name) > 0 {
			return 0, false
		}
		served += c.Served
	}
	return served, true
}
