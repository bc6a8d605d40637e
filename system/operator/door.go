package operator

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"dlsim/history"
	"dlsim/system/lock"
	"dlsim/system/paydb"
	"dlsim/system/proxy"
	"dlsim/system/rail"
	"dlsim/system/wire"
)

// door is the way by which a person's payment goes to the rail.
type door interface {
	pay(ctx context.Context, p paydb.Payout, railURL string, credential rail.Credential) error
}

// throughProxy is the design: a person takes the account's lock and submits as an executor does. What
// has been submitted before is refused, by whomever it was (ADR-007 D1).
type throughProxy struct {
	o       *Operator
	locks   *lock.Client
	proxies *proxy.Client
}

func (d throughProxy) pay(ctx context.Context, p paydb.Payout, _ string, _ rail.Credential) error {
	lease, err := d.acquire(ctx, p.Account)
	if err != nil {
		return err
	}
	e := history.Event{Op: history.PayoutSubmit, Payout: p.ID, Account: p.Account, Token: lease.Token, Amount: p.Amount}
	e.Call = d.o.h.Record(e)
	submit, cancel := d.o.h.WithTimeout(ctx, min(d.o.cfg.Executor.SubmitTimeout, max(lease.Remaining(), 1)))
	defer cancel()
	state, err := d.proxies.Submit(submit, p, lease.Token)
	switch {
	case err == nil:
		e.Kind, e.State = history.OK, state
	case errors.Is(err, paydb.ErrFencedOut):
		e.Kind, e.Error = history.Fail, proxy.CodeFencedOut
	case errors.Is(err, paydb.ErrDuplicate):
		e.Kind, e.Error = history.Fail, proxy.CodeDuplicate
	default:
		e.Kind, e.Error = history.Info, "NO_ANSWER"
	}
	d.o.h.Record(e)
	_ = d.locks.Release(ctx, lease) // else it runs out
	return err
}

// acquire waits for whoever is at work on the account, as long as two leases.
func (d throughProxy) acquire(ctx context.Context, account string) (*lock.Lease, error) {
	until := d.o.h.Monotonic() + 2*d.o.cfg.Lock.TTL
	for {
		lease, err := d.locks.Acquire(ctx, account)
		if !errors.Is(err, lock.ErrHeld) || d.o.h.Monotonic() > until {
			return lease, err
		}
		if err := d.o.h.Sleep(ctx, d.o.cfg.Lock.Retry); err != nil {
			return nil, err
		}
	}
}

// direct goes past proxy, mark and intent. It needs a credential that no operator should have: it is
// assumption (c) of DESIGN 2.5, broken (field report F25).
type direct struct{ o *Operator }

func (d direct) pay(ctx context.Context, p paydb.Payout, railURL string, credential rail.Credential) error {
	o := d.o
	e := history.Event{Op: history.OperatorPay, Payout: p.ID, Account: p.Account, Amount: p.Amount,
		Request: o.h.Name() + "/" + p.ID}
	e.Call = o.h.Record(e)
	ctx, cancel := o.h.WithTimeout(ctx, o.cfg.Rail.Proxy.ForwardTimeout)
	defer cancel()
	var a rail.Answer
	status, err := o.wire.Do(ctx, wire.Call{
		Method: http.MethodPost, Base: railURL, Path: rail.PaymentsPath,
		Body:   &rail.Order{Memo: p.ID, Account: p.Account, Amount: p.Amount},
		Bearer: credential.Reveal(), RequestID: e.Request,
	}, &a)
	switch {
	case err == nil && status == http.StatusOK && a.Reference != "":
		e.Kind, e.Reference = history.OK, a.Reference
	case err == nil && status == http.StatusUnprocessableEntity && a.Error == rail.Declined:
		e.Kind, e.Error, err = history.Fail, rail.Declined, errors.New("the rail declined")
	default:
		e.Kind, e.Error = history.Info, "NO_ANSWER"
		if err == nil {
			err = fmt.Errorf("the rail answered %d %s", status, a.Error)
		}
	}
	o.h.Record(e)
	return err
}
