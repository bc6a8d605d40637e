package proxy

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"dlsim/history"
	"dlsim/system/rail"
	"dlsim/system/wire"
)

// VoidsPath takes a payment back, before a rail that can do that (rail.void): the proxy asks, since
// nobody else has the credential (ADR-007 D1).
const VoidsPath = "/v1/voids"

// CodeNotVoided refuses: 409, the rail will not take the payment back. No answer, or any other, says
// nothing about the money.
const CodeNotVoided = "NOT_VOIDED"

// ErrNotVoided: the rail refuses to take the payment back.
var ErrNotVoided = errors.New("the rail does not take the payment back")

// voidRequest names the payment that is to be taken back.
type voidRequest struct {
	Reference string `json:"rail_reference"`
	Payout    string `json:"payout_id"`
	Account   string `json:"account_id"`
	Amount    int64  `json:"amount_minor"`
}

// voids says whether r asks for the operation that only some rails have.
func (s *Service) voids(r *http.Request) bool {
	return s.cfg.Rail.Void && r.URL.Path == VoidsPath && r.Method == http.MethodPost
}

// void asks the rail once. Nothing guards it and nothing records it here: it names one payment, so
// asking again does no harm, and the statement tells what became of it.
func (s *Service) void(w http.ResponseWriter, r *http.Request) {
	var q voidRequest
	if !wire.Decode(w, r, &q) {
		return
	}
	key, err := s.keys(s, s.h.Detach(r.Context()))
	if err != nil {
		wire.Refuse(w, http.StatusBadGateway, CodeRail)
		return
	}
	e := history.Event{Op: history.RailVoid, Payout: q.Payout, Account: q.Account, Amount: q.Amount,
		Reference: q.Reference, Request: s.nextRequest()}
	e.Call = s.h.Record(e)
	ctx, cancel := s.h.WithTimeout(s.h.Detach(r.Context()), s.cfg.Rail.Proxy.ForwardTimeout)
	defer cancel()
	var a rail.Answer
	status, err := s.rail.Do(ctx, wire.Call{
		Method: http.MethodPost, Base: s.railURL, Path: rail.VoidsPath, Body: &rail.VoidOrder{Reference: q.Reference},
		Bearer: key.Reveal(), RequestID: e.Request,
	}, &a)
	switch {
	case err == nil && status == http.StatusOK && a.Reference != "":
		e.Kind = history.OK
	case err == nil && (status == http.StatusUnprocessableEntity && a.Error == rail.Declined || a.Error == rail.NoSuchPayment):
		e.Kind, e.Error = history.Fail, a.Error
	default:
		e.Kind, e.Error = history.Info, answerCode(status, err)
	}
	s.h.Record(e)
	switch e.Kind {
	case history.OK:
		wire.Reply(w, http.StatusOK, &submissionAnswer{Reference: a.Reference})
	case history.Fail:
		wire.Refuse(w, http.StatusConflict, CodeNotVoided)
	default:
		wire.Refuse(w, http.StatusBadGateway, CodeAmbiguous)
	}
}

// Void asks for one payment to be taken back, once. nil says that it is; ErrNotVoided that it will not be.
func (c *Client) Void(ctx context.Context, p *rail.Payment) error {
	var a submissionAnswer
	status, err := c.wire.Do(ctx, wire.Call{
		Method: http.MethodPost, Base: c.route(c, p.Account), Path: VoidsPath,
		Body: &voidRequest{Reference: p.Reference, Payout: p.Memo, Account: p.Account, Amount: p.Amount},
	}, &a)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrUnanswered, err)
	case status == http.StatusOK && a.Reference != "":
		return nil
	case status == http.StatusConflict && a.Error == CodeNotVoided:
		return ErrNotVoided
	}
	return fmt.Errorf("%w: status %d %s", ErrUnanswered, status, a.Error)
}
