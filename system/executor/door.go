package executor

import (
	"context"
	"fmt"

	"dlsim/system/config"
	"dlsim/system/paydb"
	"dlsim/system/proxy"
)

// submitter is the way to the rail: the proxy, which guards it.
type submitter interface {
	// Submit is proxy.Client's.
	Submit(ctx context.Context, p paydb.Payout, token int64) (state string, err error)
}

func (e *Executor) doorOf(guard string) submitter {
	if guard == config.GuardExecutor {
		return selfGuarded{e.db, e.proxy}
	}
	return e.proxy
}

// selfGuarded makes the proxy's two checks before it calls a proxy that makes none. Whoever sleeps
// between check and call has checked nothing (ADR-007 7.4).
type selfGuarded struct {
	db    *paydb.Store
	proxy *proxy.Client
}

func (s selfGuarded) Submit(ctx context.Context, p paydb.Payout, token int64) (state string, err error) {
	mark, err := s.db.Highest(ctx, p.Account)
	if err == nil && token <= mark {
		return "", paydb.ErrFencedOut
	}
	var row paydb.Submission
	if err == nil {
		row, err = s.db.Submission(ctx, p.ID)
	}
	switch {
	case err != nil:
		return "", fmt.Errorf("%w: %w", proxy.ErrUnavailable, err)
	case row.State != paydb.None:
		return "", paydb.ErrDuplicate
	}
	return s.proxy.Submit(ctx, p, token)
}
