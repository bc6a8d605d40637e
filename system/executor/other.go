package executor

import (
	"context"
	"slices"
	"strings"
	"time"

	"dlsim/system/config"
	"dlsim/system/lock"
	"dlsim/system/paydb"
)

// The executor's seams: what the design does, and beside it what was done elsewhere and failed. Each
// is chosen once, in New.

// countdown is how long a holder may still work.
type countdown func(*lock.Lease) time.Duration

func countdownOf(setting string) countdown {
	if setting == config.CountdownOff {
		return uncounted
	}
	return (*lock.Lease).Remaining
}

// uncounted leaves it to the lock service to say that a lease is over, and nobody asks it (field
// report F18).
func uncounted(*lock.Lease) time.Duration { return time.Hour }

// sending is how a submission leaves.
type sending func(g *grant, ctx context.Context) (state string, err error)

func sendingOf(giveBack string) sending {
	if giveBack == config.GiveBackEarly {
		return releasing
	}
	return underLease
}

// underLease is the design: the lock is held until the answer is there.
func underLease(g *grant, ctx context.Context) (state string, err error) {
	return g.door.Submit(ctx, g.p, g.lease.Token)
}

// releasing gives the lock back while the submission is under way (F19).
func releasing(g *grant, ctx context.Context) (state string, err error) {
	submitted := g.h.Go("submit", func() { state, err = g.door.Submit(ctx, g.p, g.lease.Token) })
	_ = g.locks.Release(g.ctx, g.lease)
	if gone := submitted.Wait(g.ctx); gone != nil {
		return "", gone
	}
	return state, err
}

// finder finds payouts to work on.
type finder func(ctx context.Context, into []paydb.Payout) ([]paydb.Payout, error)

func (e *Executor) finderOf() finder {
	switch {
	case e.cfg.Executor.Work == config.WorkByCursor:
		return (&cursor{db: e.db}).find
	case e.cfg.Executor.Claim == config.ClaimFromReplica:
		return e.replica().FindWork
	}
	return e.db.FindWork
}

func (e *Executor) replica() *paydb.Store {
	return paydb.NewStore(e.h.DB("paydb-standby"), e.cfg.Paydb)
}

// cursor reads on behind the highest id that it has seen, and keeps what it found (F31).
type cursor struct {
	db   *paydb.Store
	last string
	kept []paydb.Payout
}

func (c *cursor) find(ctx context.Context, into []paydb.Payout) ([]paydb.Payout, error) {
	found, err := c.db.FindWork(ctx, into)
	if err != nil {
		return found, err
	}
	open := func(p paydb.Payout) bool {
		return slices.ContainsFunc(found, func(q paydb.Payout) bool { return q.ID == p.ID })
	}
	c.kept = slices.DeleteFunc(c.kept, func(p paydb.Payout) bool { return !open(p) })
	last := c.last
	for _, p := range found {
		if strings.Compare(p.ID, last) > 0 {
			c.kept = append(c.kept, p)
			c.last = p.ID
		}
	}
	return append(found[:0], c.kept...), nil
}

// claimer takes a payout for the holder of a token.
type claimer interface {
	// Claim is paydb.Store's.
	Claim(ctx context.Context, payout string, token int64) (before bool, fate paydb.Fate, err error)
}

func (e *Executor) claimerOf() claimer {
	if e.cfg.Executor.Claim == config.ClaimFromReplica {
		return replicaClaim{e.db, e.replica()}
	}
	return e.db
}

// replicaClaim decides by what a replica shows and writes by id alone (F24).
type replicaClaim struct{ db, replica *paydb.Store }

func (c replicaClaim) Claim(ctx context.Context, payout string, token int64) (before bool, fate paydb.Fate, err error) {
	_, state, err := c.replica.Read(ctx, payout)
	switch {
	case err != nil:
		return false, paydb.Undone, err
	case state != paydb.Pending && state != paydb.Claimed:
		return false, paydb.Undone, paydb.ErrNotTaken
	}
	fate, err = c.db.ClaimByID(ctx, payout, token)
	return state != paydb.Pending, fate, err
}

// tending is what keeps a lease alive besides the work itself.
type tending func(ctx context.Context, l *lock.Lease)

func (e *Executor) tendingOf() tending {
	if e.cfg.Executor.Renewal == config.RenewForever {
		return e.renewForever
	}
	return func(context.Context, *lock.Lease) {}
}

// renewForever starts a task that renews until the lock is lost. A release that gets lost does not
// end it, and then nothing does (F30).
func (e *Executor) renewForever(ctx context.Context, l *lock.Lease) {
	e.h.Go("renew", func() {
		kept := *l
		for e.h.Sleep(ctx, e.cfg.Lock.TTL/3) == nil {
			if e.locks.Renew(ctx, &kept) == lock.ErrLost {
				return
			}
		}
	})
}
