package live

import (
	"time"

	"dlsim/history"
	"dlsim/sim"
	"dlsim/sim/live/control"
)

// Claim is one claim of the run that is repeated.
type Claim struct{ Payout, Account, Executor string }

// patience is how long there may be no claim before executors may take up any payout: the run has
// gone another way than the one that it repeats.
const patience = 12 * time.Second

// assignment follows the claims of the run that is repeated. An executor is shown the payout that
// it claimed next, once whatever had been claimed of its account before has been claimed again.
type assignment struct {
	w      *World
	claims []Claim
	done   []bool
	last   time.Duration // when the last claim came
	free   bool
}

// assign has the work of the run assigned.
func (w *World) assign(claims []Claim) {
	if len(claims) == 0 {
		return
	}
	a := &assignment{w: w, claims: claims, done: make([]bool, len(claims))}
	w.assignment = a
	for _, p := range w.processes {
		if p.role == sim.RoleExecutor {
			p.show = &control.Show{Payout: a.next(p.name)}
		}
	}
}

// next is the payout that an executor is to be shown, "" when it is nobody's turn.
func (a *assignment) next(executor string) string {
	for i, c := range a.claims {
		if a.done[i] || c.Executor != executor {
			continue
		}
		for k := range i {
			if !a.done[k] && a.claims[k].Account == c.Account {
				return ""
			}
		}
		return c.Payout
	}
	return ""
}

// see takes up a claim and shows every executor what is its next.
func (a *assignment) see(e *history.Event) {
	if a.free || e.Op != history.PayoutClaim || e.Kind != history.OK {
		return
	}
	a.last = a.w.Elapsed()
	for i, c := range a.claims {
		if !a.done[i] && c.Payout == e.Payout && c.Executor == e.Process {
			a.done[i] = true
			break
		}
	}
	a.tell(func(executor string) control.Show { return control.Show{Payout: a.next(executor)} })
}

// look frees the work where nothing has been claimed for long.
func (a *assignment) look() {
	if !a.free && a.w.Elapsed()-a.last > patience {
		a.free = true
		a.tell(func(string) control.Show { return control.Show{All: true} })
	}
}

func (a *assignment) tell(show func(executor string) control.Show) {
	for _, p := range a.w.processes {
		if p.show == nil {
			continue
		}
		if s := show(p.name); s != *p.show {
			p.show = &s
			p.tell(&control.Down{Show: &s})
		}
	}
}
