package reconciler

import (
	"context"

	"dlsim/history"
	"dlsim/system/config"
	"dlsim/system/paydb"
	"dlsim/system/rail"
)

// ending brings an open submission to an end, or brings that nearer. err says that no statement could
// be had. It reports whether there was anything to do but wait.
type ending func(r *Reconciler, ctx context.Context, u *paydb.Unresolved, st *rail.Statement, err error) (acted bool)

func endingOf(setting string) ending {
	switch setting {
	case config.ByResubmission:
		return byResubmission
	case config.BySilence:
		return bySilence
	case config.ByReferenceOnly:
		return byReferenceOnly
	case config.ByIDAlone:
		return byIDAlone
	}
	return byStatement
}

// byResubmission forgets a submission that the rail does not show yet and puts the payout back in
// the queue: absence of evidence is taken for evidence of absence (field reports F02, F34).
func byResubmission(r *Reconciler, ctx context.Context, u *paydb.Unresolved, st *rail.Statement, err error) (acted bool) {
	if err != nil {
		return false
	}
	for i := range st.Payments {
		if st.Payments[i].Memo == u.ID {
			return byStatement(r, ctx, u, st, nil)
		}
	}
	r.write(ctx, u, paydb.Pending, "absent from statement", r.db.Reopen)
	return true
}

// bySilence takes a statement that could not be had for one that says "not paid" (F11).
func bySilence(r *Reconciler, ctx context.Context, u *paydb.Unresolved, st *rail.Statement, err error) (acted bool) {
	if err == nil {
		return byStatement(r, ctx, u, st, nil)
	}
	r.resolve(ctx, u, false, "", "no statement")
	return true
}

// byReferenceOnly leaves alone what the rail has given no reference for, and so for ever what died
// before it was told (F34).
func byReferenceOnly(r *Reconciler, ctx context.Context, u *paydb.Unresolved, st *rail.Statement, err error) (acted bool) {
	return u.Reference != "" && byStatement(r, ctx, u, st, err)
}

// byIDAlone puts claims that look stale back in the queue, whatever has become of them since it
// looked (F07).
func byIDAlone(r *Reconciler, ctx context.Context, u *paydb.Unresolved, st *rail.Statement, err error) (acted bool) {
	if u.PayoutState != paydb.Claimed {
		return byStatement(r, ctx, u, st, err)
	}
	r.write(ctx, u, paydb.Pending, "stale claim", r.db.PutBack)
	return true
}

// write records a decision that asks for no grant.
func (r *Reconciler) write(ctx context.Context, u *paydb.Unresolved, state, from string, act func(context.Context, string) (paydb.Fate, error)) {
	e := history.Event{Op: history.ReconcileDecide, Payout: u.ID, Account: u.Account, Amount: u.Amount, State: state, Note: from}
	e.Call = r.h.Record(e)
	ctx, cancel := r.h.WithTimeout(ctx, r.cfg.Paydb.Timeout)
	defer cancel()
	fate, err := act(ctx, u.ID)
	r.complete(e, fate, err)
}
