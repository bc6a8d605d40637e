// Package operator is what a person does to a payout, from outside the machinery.
package operator

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"dlsim/history"
	"dlsim/system/config"
	"dlsim/system/dberr"
	"dlsim/system/host"
	"dlsim/system/paydb"
	"dlsim/system/rail"
	"dlsim/system/wire"
)

// Operator acts once for each call and retries nothing: a person looks at the result first.
type Operator struct {
	h    host.Host
	cfg  config.Config
	db   *paydb.Store
	wire *wire.Client
}

// New returns an operator who has paydb's address and no credential of the rail.
func New(h host.Host, cfg config.Config) *Operator {
	return &Operator{h: h, cfg: cfg, db: paydb.NewStore(h.DB("paydb"), cfg.Paydb), wire: wire.NewClient(h)}
}

// Cancel cancels a payout that is PENDING. The error wraps paydb.ErrNotTaken when it no longer is:
// a claimed payout may have been paid.
func (o *Operator) Cancel(ctx context.Context, payout string) error {
	e := history.Event{Op: history.OperatorCancel, Payout: payout}
	e.Call = o.h.Record(e)
	ctx, cancel := o.h.WithTimeout(ctx, o.cfg.Paydb.Timeout)
	defer cancel()
	fate, err := o.db.Cancel(ctx, payout)
	switch {
	case fate == paydb.Done:
		e.Kind = history.OK
	case fate == paydb.Unknown:
		e.Kind, e.Error = history.Info, dberr.Code(err)
	case paydb.Refused(err):
		e.Kind, e.Error = history.Fail, "NOT_TAKEN"
	default:
		e.Kind, e.Error = history.Fail, dberr.Code(err)
	}
	o.h.Record(e)
	if err != nil {
		return fmt.Errorf("cancel %s: %w", payout, err)
	}
	return nil
}

// PayByHand sends a payout's money by the rail at railURL, past proxy, mark and intent. It needs a
// credential that no operator should have: it is assumption (c) of DESIGN 2.5, broken (field
// report F25).
func (o *Operator) PayByHand(ctx context.Context, payout, railURL string, credential rail.Credential) error {
	read, cancel := o.h.WithTimeout(ctx, o.cfg.Paydb.Timeout)
	p, _, err := o.db.Read(read, payout)
	cancel()
	if err != nil {
		return fmt.Errorf("pay %s by hand: %w", payout, err)
	}
	e := history.Event{Op: history.OperatorPay, Payout: p.ID, Account: p.Account, Amount: p.Amount,
		Request: o.h.Name() + "/" + payout}
	e.Call = o.h.Record(e)
	ctx, cancel = o.h.WithTimeout(ctx, o.cfg.Rail.Proxy.ForwardTimeout)
	defer cancel()
	var a rail.Answer
	status, err := o.wire.Do(ctx, wire.Call{
		Method: http.MethodPost, URL: railURL + rail.PaymentsPath,
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
	if err != nil {
		return fmt.Errorf("pay %s by hand: %w", payout, err)
	}
	return nil
}
