// Package executor is the worker that pays payouts: claim, submit, post, under one grant of the
// account's lock each (DESIGN 2.3).
package executor

import (
	"context"
	"errors"
	"slices"
	"time"

	"dlsim/history"
	"dlsim/system/config"
	"dlsim/system/host"
	"dlsim/system/lock"
	"dlsim/system/paydb"
	"dlsim/system/proxy"
)

// Executor works on payouts, one at a time.
type Executor struct {
	h       host.Host
	cfg     config.Config
	locks   *lock.Client
	proxy   *proxy.Client
	door    submitter
	db      *paydb.Store
	find    finder
	claims  claimer
	tend    tending
	left    countdown
	send    sending
	operate operation
	key     func(paydb.Payout) string
	work    []paydb.Payout // reused from look to look
	idle    time.Duration  // looks in a row that found nothing, up to idleLooks
	held    int            // looks in a row that found every lock held
}

// idleLooks bounds how many poll intervals an executor without work lets pass between two looks.
const idleLooks = 4

// New returns an executor that reaches lock services and proxies at their base URLs.
func New(h host.Host, cfg config.Config, lockds, proxies []string) *Executor {
	e := &Executor{
		h: h, cfg: cfg,
		locks: lock.NewClient(h, cfg.Lock, lockds),
		proxy: proxy.NewClient(h, proxies, "executor.proxy", cfg.Executor.Routing),
		db:    paydb.NewStore(h.DB("paydb"), cfg.Paydb),
	}
	e.door, e.find = e.doorOf(cfg.Rail.Proxy.Guard), e.finderOf()
	e.operate, e.key = operationOf(cfg.Executor.Operation), keyOf(cfg.Lock.Scope)
	e.claims, e.tend = e.claimerOf(), e.tendingOf()
	e.left, e.send = countdownOf(cfg.Executor.Countdown), sendingOf(cfg.Executor.GiveBack)
	return e
}

// Run works until ctx is done, and returns its error.
func (e *Executor) Run(ctx context.Context) error {
	for {
		if d := e.look(ctx); d > 0 {
			if err := e.h.Sleep(ctx, d); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// look finds one payout that can be worked on and works on it. It returns how long to wait before
// the next look.
//
// The draw is random, so that one payout that cannot be brought further does not keep the others
// waiting. Where an account's lock is held, another account's payout is tried: the holder is at
// work and waiting for it is no use.
func (e *Executor) look(ctx context.Context) time.Duration {
	find, cancel := e.h.WithTimeout(ctx, e.cfg.Paydb.Timeout)
	work, err := e.find(find, e.work[:0])
	cancel()
	e.work = work
	if err != nil {
		return e.cfg.Executor.Poll
	}
	if len(work) == 0 {
		e.idle = min(e.idle+1, idleLooks)
		return e.idle * e.cfg.Executor.Poll
	}
	e.idle = 0
	for len(work) > 0 {
		p := work[e.h.Uint64n("executor.pick", uint64(len(work)))]
		if wait, held := e.operate(e, ctx, p); !held {
			e.held = 0
			return wait
		}
		work = slices.DeleteFunc(work, func(q paydb.Payout) bool { return q.Account == p.Account })
	}
	e.held++
	return e.backOff()
}

// backOff is how long to wait when every lock has been found held e.held times in a row: the retry
// interval, doubled each time up to the poll interval. Whoever holds them so long works slowly or
// not at all.
func (e *Executor) backOff() time.Duration {
	longest := max(e.cfg.Lock.Retry, e.cfg.Executor.Poll)
	wait := e.cfg.Lock.Retry
	for n := 1; n < e.held && wait < longest; n++ {
		wait *= 2
	}
	return min(wait, longest)
}

// payout is the design: the account's lock, and under it one payout. held says that somebody else
// has the lock.
func payout(e *Executor, ctx context.Context, p paydb.Payout) (wait time.Duration, held bool) {
	lease, err := e.locks.Acquire(ctx, e.key(p))
	switch {
	case errors.Is(err, lock.ErrHeld):
		return 0, true
	case err != nil:
		return e.cfg.Executor.Poll, false
	}
	e.tend(ctx, lease)
	wait = e.pay(ctx, p, lease)
	_ = e.locks.Release(ctx, lease) // else it runs out
	return wait, false
}

// pay brings one payout as far as it can under lease and returns how long to wait before the next
// look: not at all when the payout needs no executor any more. Where it stops short, a later
// grant takes up.
func (e *Executor) pay(ctx context.Context, p paydb.Payout, lease *lock.Lease) (wait time.Duration) {
	g := grant{Executor: e, ctx: ctx, lease: lease, p: p}
	before, fate, err := g.claim()
	if paydb.Refused(err) {
		return e.cfg.Lock.Retry // somebody was faster; there may be other work
	}
	if fate != paydb.Done {
		return e.cfg.Executor.Poll
	}
	state, ok := paydb.None, true
	if before {
		state, ok = g.ask()
	}
	if ok && state == paydb.None {
		state, ok = g.submit()
	}
	if ok && g.conclude(state) {
		return 0
	}
	return e.cfg.Executor.Poll
}

// conclude writes to paydb what follows from the state of the submission. It reports whether that
// is certainly done.
func (g *grant) conclude(state string) bool {
	switch state {
	case paydb.Accepted:
		return g.post()
	case paydb.Rejected, paydb.NotExecuted:
		return g.mark(paydb.Failed)
	case paydb.Intent, paydb.Timeout:
		if !g.mark(paydb.RailAmbiguous) {
			return false
		}
		g.h.Record(history.Event{Kind: history.Info, Op: history.PayoutAmbiguous,
			Payout: g.p.ID, Account: g.p.Account, Token: g.lease.Token})
		return true
	}
	return false // a state of a later version: leave it to whoever knows it
}

// grant is the work on one payout under one grant. Every step ends by its own deadline and by the
// lease's, whichever comes first.
type grant struct {
	*Executor
	ctx   context.Context
	lease *lock.Lease
	p     paydb.Payout
}

// step returns the context of the next step, or false when the lease has run out.
func (g *grant) step(timeout time.Duration) (context.Context, context.CancelFunc, bool) {
	left := g.left(g.lease)
	if left <= 0 {
		g.h.Record(history.Event{Kind: history.Info, Op: history.LeaseRanOut,
			Payout: g.p.ID, Account: g.p.Account, Owner: g.h.Name(), Token: g.lease.Token})
		return nil, nil, false
	}
	ctx, cancel := g.h.WithTimeout(g.ctx, min(timeout, left))
	return ctx, cancel, true
}

// begin records an invocation and returns the event to complete.
func (g *grant) begin(op history.Op, state string) history.Event {
	e := history.Event{Op: op, Payout: g.p.ID, Account: g.p.Account, Token: g.lease.Token, Amount: g.p.Amount, State: state}
	e.Call = g.h.Record(e)
	return e
}

// write completes the event of a write to paydb and reports whether it is certain to be done.
func (g *grant) write(e history.Event, fate paydb.Fate, err error) bool {
	paydb.Complete(&e, fate, err)
	g.h.Record(e)
	return fate == paydb.Done
}

func (g *grant) claim() (before bool, fate paydb.Fate, err error) {
	ctx, cancel, ok := g.step(g.cfg.Paydb.Timeout)
	if !ok {
		return false, paydb.Undone, nil
	}
	defer cancel()
	e := g.begin(history.PayoutClaim, "")
	before, fate, err = g.claims.Claim(ctx, g.p.ID, g.lease.Token)
	g.write(e, fate, err)
	return before, fate, err
}

func (g *grant) ask() (state string, ok bool) {
	ctx, cancel, ok := g.step(g.cfg.Paydb.Timeout)
	if !ok {
		return "", false
	}
	defer cancel()
	e := g.begin(history.SubmissionAsk, "")
	state, err := g.proxy.Ask(ctx, g.p)
	if err != nil {
		// It changed nothing, but that is all that is certain.
		e.Kind, e.Error = history.Fail, "NO_ANSWER"
		g.h.Record(e)
		return "", false
	}
	e.Kind, e.State = history.OK, state
	g.h.Record(e)
	return state, true
}

// submit asks for the payment, once under this grant. A lease that is half over is renewed first,
// since this step may take long; nothing renews it behind the work's back (field report F30).
func (g *grant) submit() (state string, ok bool) {
	if g.lease.Waning() {
		if left := g.lease.Remaining(); left > 0 {
			ctx, cancel := g.h.WithTimeout(g.ctx, left)
			_ = g.locks.Renew(ctx, g.lease) // what counts is what remains
			cancel()
		}
	}
	ctx, cancel, ok := g.step(g.cfg.Executor.SubmitTimeout)
	if !ok {
		return "", false
	}
	defer cancel()
	e := g.begin(history.PayoutSubmit, "")
	state, err := g.send(g, ctx)
	switch {
	case err == nil:
		e.Kind, e.State = history.OK, state
	case errors.Is(err, paydb.ErrFencedOut):
		e.Kind, e.Error = history.Fail, proxy.CodeFencedOut
	case errors.Is(err, paydb.ErrDuplicate):
		e.Kind, e.Error = history.Fail, proxy.CodeDuplicate
	case errors.Is(err, proxy.ErrAmbiguous):
		e.Kind, e.Error = history.Info, proxy.CodeAmbiguous
		state = paydb.Timeout
	case errors.Is(err, proxy.ErrUnavailable):
		e.Kind, e.Error = history.Info, proxy.CodePaydb
	default:
		e.Kind, e.Error = history.Info, "NO_ANSWER"
	}
	g.h.Record(e)
	if e.Error == proxy.CodeFencedOut {
		g.h.Record(history.Event{Kind: history.Info, Op: history.FencedOut,
			Payout: g.p.ID, Account: g.p.Account, Token: g.lease.Token})
	}
	return state, state != ""
}

func (g *grant) mark(state string) bool {
	ctx, cancel, ok := g.step(g.cfg.Paydb.Timeout)
	if !ok {
		return false
	}
	defer cancel()
	e := g.begin(history.PayoutMark, state)
	fate, err := g.db.Mark(ctx, g.p.ID, g.lease.Token, state)
	return g.write(e, fate, err)
}

func (g *grant) post() bool {
	ctx, cancel, ok := g.step(g.cfg.Paydb.Timeout)
	if !ok {
		return false
	}
	defer cancel()
	e := g.begin(history.PayoutPost, "")
	fate, err := g.db.Post(ctx, g.p, g.lease.Token)
	return g.write(e, fate, err)
}
