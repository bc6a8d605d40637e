package virtual

import (
	"strconv"

	"dlsim/history"
	"dlsim/sim"
	"dlsim/sim/virtual/sched"
	"dlsim/system"
	"dlsim/system/intake"
	"dlsim/system/paydb"
	"dlsim/system/rail"
)

// drawWork makes the run's payouts. The credential is drawn with them: it is worth nothing outside
// the run, and the rail asks for it all the same.
func (w *World) drawWork() {
	w.work = system.Work{Credential: rail.Credential(strconv.FormatUint(w.drawn("credential", 0, 1<<62), 36))}
	w.work.Payouts = make([]intake.Entry, 0, w.options.Workload.Count())
	for _, p := range w.options.Workload.Draw(w.drawn) {
		w.work.Payouts = append(w.work.Payouts, intake.Entry{
			Payout: paydb.Payout{ID: p.ID, Account: p.Account, Amount: p.Amount}, Due: p.Due,
		})
	}
}

// recordWork says in the history what the system is asked for, so that what it never takes in is missed.
func (w *World) recordWork() {
	for i := range w.work.Payouts {
		p := &w.work.Payouts[i]
		w.record(&history.Event{Process: "world", Kind: history.Info, Op: history.PayoutDue,
			Payout: p.ID, Account: p.Account, Amount: p.Amount, Clock: int64(p.Due)})
	}
}

func (w *World) drawn(field string, nth int, n uint64) uint64 {
	return w.sched.Pick(sched.WorkloadDraw, sched.Place(field), uint64(nth), n)
}

// Work is the work that a run with this seed is given, without running it.
func Work(seed uint64, l sim.Workload) []sim.Payout {
	return l.Draw(func(field string, nth int, n uint64) uint64 {
		return sched.Keyed(seed).Pick(sched.WorkloadDraw, sched.Place(field), uint64(nth), n)
	})
}

// openAccounts fills a fresh paydb, before the run and without the network.
func (w *World) openAccounts(p *pgServer) error {
	session, err := p.connect(nil)
	if err != nil {
		return err
	}
	defer session.Close()
	for _, name := range w.options.Workload.AccountNames() {
		if _, err := session.Exec(paydb.OpenAccount, []any{name, w.options.Workload.Opening}); err != nil {
			return err
		}
	}
	return nil
}

// Operate has the operator act on a payout.
func (w *World) Operate(act sim.OperatorAct, payout string) (sim.Effect, error) {
	m, err := w.target(sim.RoleOperator)
	if err != nil {
		return nil, err
	}
	e := &effect{}
	m.node.Go(string(act)+" "+payout, func() {
		var err error
		if act == sim.PayByHand {
			err = system.PayByHand(m.host, w.options.System, payout, w.work.Credential)
		} else {
			err = system.Cancel(m.host, w.options.System, payout)
		}
		if err == nil {
			e.felt++
		}
	})
	return e, nil
}
