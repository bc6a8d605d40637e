package virtual

import (
	"strconv"
	"time"

	"dlsim/sim"
	"dlsim/sim/virtual/sched"
	"dlsim/system"
	"dlsim/system/intake"
	"dlsim/system/paydb"
	"dlsim/system/rail"
)

// numbered is prefix-07: zero-padded so that names sort as numbers do.
func numbered(prefix string, n, of int) string {
	digits := strconv.Itoa(n)
	for width := len(strconv.Itoa(of)); len(digits) < width; {
		digits = "0" + digits
	}
	return prefix + digits
}

// drawWork makes the run's payouts. The credential is drawn with them: it is worth nothing outside
// the run, and the rail asks for it all the same.
func (w *World) drawWork() {
	l := w.options.Workload
	pick := func(field string, nth int, n uint64) uint64 {
		return w.sched.Pick(sched.WorkloadDraw, sched.Place(field), uint64(nth), n)
	}
	w.work = system.Work{
		Credential: rail.Credential(strconv.FormatUint(pick("credential", 0, 1<<62), 36)),
		Payouts:    make([]intake.Entry, l.Payouts),
	}
	for i := range w.work.Payouts {
		e := &w.work.Payouts[i]
		e.Payout = paydb.Payout{
			ID:      numbered("payout-", i+1, l.Payouts),
			Account: numbered("account-", 1+int(pick("account", i, uint64(l.Accounts))), l.Accounts),
			Amount:  l.AmountMin + int64(pick("amount", i, uint64(l.AmountMax-l.AmountMin)+1)),
		}
		if l.Spread > 0 {
			e.Due = time.Duration(pick("due", i, uint64(l.Spread)))
		}
	}
}

// openAccounts fills a fresh paydb, before the run and without the network.
func (w *World) openAccounts(p *pgServer) error {
	session, err := p.engine.Connect()
	if err != nil {
		return err
	}
	defer session.Close()
	for i := 1; i <= w.options.Workload.Accounts; i++ {
		name := numbered("account-", i, w.options.Workload.Accounts)
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
