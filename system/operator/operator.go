// Package operator is what a person does to a payout, from outside the machinery.
package operator

import (
	"context"
	"fmt"

	"dlsim/history"
	"dlsim/system/config"
	"dlsim/system/host"
	"dlsim/system/lock"
	"dlsim/system/paydb"
	"dlsim/system/proxy"
	"dlsim/system/rail"
	"dlsim/system/wire"
)

// Operator acts once for each call and retries nothing: a person looks at the result first.
type Operator struct {
	h    host.Host
	cfg  config.Config
	db   *paydb.Store
	wire *wire.Client

	cancel func(ctx context.Context, payout string) (paydb.Fate, error)
	pay    door
}

// New returns an operator who reaches paydb, and lock services and proxies at their base URLs.
func New(h host.Host, cfg config.Config, lockds, proxies []string) *Operator {
	o := &Operator{h: h, cfg: cfg, db: paydb.NewStore(h.DB("paydb"), cfg.Paydb), wire: wire.NewClient(h)}
	o.cancel = o.db.Cancel
	if cfg.Operator.Cancel == config.CancelClaimed {
		o.cancel = o.db.CancelClaimed
	}
	o.pay = throughProxy{o, lock.NewClient(h, cfg.Lock, lockds), proxy.NewClient(h, proxies, "operator.proxy", cfg.Executor.Routing)}
	if cfg.Operator.Door == config.DoorDirect {
		o.pay = direct{o}
	}
	return o
}

// Cancel cancels a payout that is PENDING. The error wraps paydb.ErrNotTaken when it no longer is:
// a claimed payout may have been paid.
func (o *Operator) Cancel(ctx context.Context, payout string) error {
	e := history.Event{Op: history.OperatorCancel, Payout: payout}
	e.Call = o.h.Record(e)
	ctx, cancel := o.h.WithTimeout(ctx, o.cfg.Paydb.Timeout)
	defer cancel()
	fate, err := o.cancel(ctx, payout)
	paydb.Complete(&e, fate, err)
	o.h.Record(e)
	if err != nil {
		return fmt.Errorf("cancel %s: %w", payout, err)
	}
	return nil
}

// PayByHand sends a payout's money because a person says so, by the door that the operator has.
func (o *Operator) PayByHand(ctx context.Context, payout, railURL string, credential rail.Credential) error {
	read, cancel := o.h.WithTimeout(ctx, o.cfg.Paydb.Timeout)
	p, _, err := o.db.Read(read, payout)
	cancel()
	if err == nil {
		err = o.pay.pay(ctx, p, railURL, credential)
	}
	if err != nil {
		return fmt.Errorf("pay %s by hand: %w", payout, err)
	}
	return nil
}
