// Package reconciler ends what nobody else may: payouts whose payment is in doubt. It asks the
// rail's statement, waits out the horizon, and never resubmits (DESIGN 2.5).
package reconciler

import (
	"context"
	"time"

	"dlsim/history"
	"dlsim/system/config"
	"dlsim/system/host"
	"dlsim/system/lock"
	"dlsim/system/paydb"
	"dlsim/system/proxy"
	"dlsim/system/rail"
)

// Reconciler resolves payouts one by one.
type Reconciler struct {
	h     host.Host
	cfg   config.Config
	locks *lock.Client
	proxy *proxy.Client
	db    *paydb.Store
	end   ending
	off   writeOff
	mend  mending

	found []paydb.Unresolved // reused from round to round
	// seen remembers since when a claimed payout's open row has been in sight, in order of payout
	// id. It is a courtesy to holders who are still at work, so losing it costs time only.
	seen []sighting
}

// sighting is an open submission and when it was first seen, on this process's monotonic clock.
type sighting struct {
	payout string
	token  int64
	since  time.Duration
}

// New returns a reconciler that reaches lock services and proxies at their base URLs.
func New(h host.Host, cfg config.Config, lockds, proxies []string) *Reconciler {
	r := &Reconciler{
		h: h, cfg: cfg, end: endingOf(cfg.Reconciler.Unresolved), off: writeOffOf(cfg.Rail.Credential),
		locks: lock.NewClient(h, cfg.Lock, lockds),
		proxy: proxy.NewClient(h, proxies, "reconciler.proxy", cfg.Executor.Routing),
		db:    paydb.NewStore(h.DB("paydb"), cfg.Paydb),
	}
	r.mend = r.mendingOf(&cfg)
	return r
}

// Run looks for unresolved payouts until ctx is done, and returns its error.
func (r *Reconciler) Run(ctx context.Context) error {
	var idle time.Duration
	for {
		idle = min(idle+1, idleRounds)
		acted := r.round(ctx)
		if r.mend(ctx) || acted {
			idle = 1
		}
		if err := r.h.Sleep(ctx, idle*r.cfg.Reconciler.Poll); err != nil {
			return err
		}
	}
}

// idleRounds bounds how many poll intervals pass between two rounds while nothing can be done but
// wait for the horizon.
const idleRounds = 4

// round looks once at everything unresolved. It reports whether it acted on any of it.
//
// The order matters: rows first, then the statement. The statement's clock is thus read after
// every row was seen, so a row's intent had committed by then, and a payment for it can come no
// later than the horizon after that reading.
func (r *Reconciler) round(ctx context.Context) (acted bool) {
	find, cancel := r.h.WithTimeout(ctx, r.cfg.Paydb.Timeout)
	found, err := r.db.FindUnresolved(find, r.found[:0])
	cancel()
	r.found = found
	if err != nil {
		return false
	}
	due := r.ripe(found)
	open := false
	for i := range due {
		open = open || due[i].Open()
	}
	var st rail.Statement
	if open {
		// Without a statement the open ones wait; what their row already settles does not.
		ctx, cancel := r.h.WithTimeout(ctx, r.cfg.Rail.Proxy.ForwardTimeout)
		st, err = r.proxy.Statement(ctx)
		cancel()
	}
	for i := range due {
		u := &due[i]
		switch {
		case u.State == paydb.Accepted:
			r.resolve(ctx, u, true, u.Reference, "row")
		case !u.Open():
			r.resolve(ctx, u, false, "", "row")
		case !r.end(r, ctx, u, &st, err):
			continue
		}
		acted = true
	}
	return acted
}

// ripe drops payouts that an executor may still be working on: claimed ones whose open row has
// not been in sight for long. It reorders nothing and works in place.
func (r *Reconciler) ripe(found []paydb.Unresolved) []paydb.Unresolved {
	now := r.h.Monotonic()
	old, next := r.seen, 0
	var seen []sighting
	due := found[:0]
	for _, u := range found {
		if u.PayoutState != paydb.Claimed {
			due = append(due, u)
			continue
		}
		for next < len(old) && old[next].payout < u.ID {
			next++
		}
		s := sighting{u.ID, u.Token, now}
		if next < len(old) && old[next].payout == u.ID && old[next].token == u.Token {
			s = old[next]
		}
		seen = append(seen, s)
		if now-s.since >= r.cfg.Reconciler.Stale {
			due = append(due, u)
		}
	}
	r.seen = seen
	return due
}

// byStatement is the design: it decides an open submission by the statement, or starts its horizon.
func byStatement(r *Reconciler, ctx context.Context, u *paydb.Unresolved, st *rail.Statement, err error) (acted bool) {
	if err != nil {
		return false
	}
	for i := range st.Payments {
		if st.Payments[i].Memo == u.ID {
			r.resolve(ctx, u, true, st.Payments[i].Reference, "statement")
			return true
		}
	}
	if u.FirstSeen == 0 {
		// Rounded up, so that the horizon is not cut short by the rest of the millisecond.
		ctx, cancel := r.h.WithTimeout(ctx, r.cfg.Paydb.Timeout)
		defer cancel()
		_, _ = r.db.SetFirstSeen(ctx, u, st.ClockMs+1) // the next round sees what became of it
		return true
	}
	if st.CutoffMs < u.FirstSeen+r.cfg.Reconciler.Horizon.Milliseconds() {
		return false
	}
	return r.off(r, ctx, u, st)
}

// resolve writes a decision under a grant of its own. Whatever goes wrong, the next round finds
// the payout again, or finds it resolved.
func (r *Reconciler) resolve(ctx context.Context, u *paydb.Unresolved, paid bool, reference, from string) {
	lease, err := r.locks.Acquire(ctx, u.Account)
	if err != nil {
		return
	}
	if left := lease.Remaining(); left > 0 {
		r.decide(ctx, u, lease, paid, reference, from, left)
	} else {
		r.h.Record(history.Event{Kind: history.Info, Op: history.LeaseRanOut,
			Payout: u.ID, Account: u.Account, Owner: r.h.Name(), Token: lease.Token})
	}
	_ = r.locks.Release(ctx, lease) // else it runs out
}

func (r *Reconciler) decide(ctx context.Context, u *paydb.Unresolved, lease *lock.Lease, paid bool, reference, from string, left time.Duration) {
	e := history.Event{Op: history.ReconcileDecide, Payout: u.ID, Account: u.Account, Token: lease.Token,
		Amount: u.Amount, State: paydb.Failed, Reference: reference, Note: from}
	if paid {
		e.State = paydb.Posted
	}
	e.Call = r.h.Record(e)
	ctx, cancel := r.h.WithTimeout(ctx, min(left, r.cfg.Paydb.Timeout))
	defer cancel()
	fate, err := r.db.Resolve(ctx, u, lease.Token, paid, reference)
	r.complete(e, fate, err)
}

// complete records what became of a decision.
func (r *Reconciler) complete(e history.Event, fate paydb.Fate, err error) {
	paydb.Complete(&e, fate, err)
	r.h.Record(e)
}
