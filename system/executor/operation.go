package executor

import (
	"context"
	"errors"
	"time"

	"dlsim/system/config"
	"dlsim/system/lock"
	"dlsim/system/paydb"
)

// operation is what an executor does with a payout. held says that a lock was not to be had, so that
// another payout may be tried; else wait is how long to leave it before the next look.
type operation func(e *Executor, ctx context.Context, p paydb.Payout) (wait time.Duration, held bool)

func operationOf(setting string) operation {
	switch setting {
	case config.OperateBalance:
		return balance
	case config.OperateBalanceLocked:
		return locked(balance)
	case config.OperateTransfer:
		return transfer(false)
	case config.OperateTransferOrdered:
		return transfer(true)
	}
	return payout
}

// balance is the tutorial's operation: one conditional write to one database, which needs nobody's
// leave (ADR-004 A4.1). There is no rail in it.
func balance(e *Executor, ctx context.Context, p paydb.Payout) (wait time.Duration, held bool) {
	return e.withdraw(ctx, p, paydb.ClearingAccount)
}

// locked does the same under the account's lock, which it has no use for.
func locked(do operation) operation {
	return func(e *Executor, ctx context.Context, p paydb.Payout) (wait time.Duration, held bool) {
		lease, err := e.locks.Acquire(ctx, e.key(p))
		switch {
		case errors.Is(err, lock.ErrHeld):
			return 0, true
		case err != nil:
			return e.cfg.Executor.Poll, false
		}
		wait, held = do(e, ctx, p)
		_ = e.locks.Release(ctx, lease)
		return wait, held
	}
}

// transfer moves money between two accounts under both their locks. Whoever takes them in any order
// can meet somebody who took them in another, and then both wait for what the other has.
func transfer(ordered bool) operation {
	return func(e *Executor, ctx context.Context, p paydb.Payout) (wait time.Duration, held bool) {
		first, second := p.Account, counterpart(p)
		if ordered && second < first {
			first, second = second, first
		}
		one, err := e.locks.Acquire(ctx, first)
		switch {
		case errors.Is(err, lock.ErrHeld):
			return 0, true
		case err != nil:
			return e.cfg.Executor.Poll, false
		}
		defer func() { _ = e.locks.Release(ctx, one) }()
		for one.Remaining() > 0 {
			other, err := e.locks.Acquire(ctx, second)
			if err == nil {
				wait, held = e.withdraw(ctx, p, counterpart(p))
				_ = e.locks.Release(ctx, other)
				return wait, held
			}
			if !errors.Is(err, lock.ErrHeld) || e.h.Sleep(ctx, e.cfg.Lock.Retry) != nil {
				break
			}
		}
		return e.cfg.Executor.Poll, false
	}
}

// counterpart is the account that a payout's money goes to in a transfer. account-1 and account-2 are
// each other's, account-3 and account-4, and so on.
func counterpart(p paydb.Payout) string {
	n := len(p.Account) - 1
	other := map[byte]byte{'1': '2', '2': '1', '3': '4', '4': '3', '5': '6', '6': '5', '7': '8', '8': '7', '9': '0', '0': '9'}
	return p.Account[:n] + string(other[p.Account[n]])
}

// withdraw moves a payout's money within paydb.
func (e *Executor) withdraw(ctx context.Context, p paydb.Payout, to string) (wait time.Duration, held bool) {
	ctx, cancel := e.h.WithTimeout(ctx, e.cfg.Paydb.Timeout)
	defer cancel()
	fate, err := e.db.Withdraw(ctx, p, to)
	if fate == paydb.Done || paydb.Refused(err) {
		return 0, false
	}
	return e.cfg.Executor.Poll, false
}

// keyOf is what the lock of a payout is for.
func keyOf(scope string) func(paydb.Payout) string {
	if scope == config.LockAccountAndRail {
		return paydb.Payout.AccountAndRail
	}
	return func(p paydb.Payout) string { return p.Account }
}
