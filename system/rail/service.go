// Package rail is the stand-in for the external payment rail: a third party with no idempotency
// key, no compare-and-set and no void. It moves money each time it is asked with the credential,
// keeps a durable book of what it moved, and misbehaves as directed.
package rail

import (
	"context"
	"errors"
	"net/http"
	"time"

	"dlsim/history"
	"dlsim/system/config"
	"dlsim/system/host"
	"dlsim/system/wire"
)

// Paths of the rail.
const (
	PaymentsPath   = "/payments"
	StatementsPath = "/statements"
)

// Codes of the rail's refusals.
const (
	Declined     = "DECLINED"     // 422: no money moved, and none will
	Unauthorized = "UNAUTHORIZED" // 401
	Stale        = "STALE"        // 409, of a rail that compares tokens: no money moved
)

// Order is the body of a payment request.
type Order struct {
	Memo    string `json:"memo"`
	Account string `json:"account"`
	Amount  int64  `json:"amount_minor"`
	// Token is for a rail that compares tokens; the rail of the ADRs has no such field.
	Token int64 `json:"token,omitempty"`
}

// Answer is the body of the rail's answer to an Order.
type Answer struct {
	Error     string `json:"error,omitempty"`
	Reference string `json:"reference,omitempty"`
	ClockMs   int64  `json:"clock_ms,omitempty"` // the rail's clock
	Epoch     int64  `json:"epoch,omitempty"`    // in answer to a rotation
}

// Service is the rail.
type Service struct {
	h      host.Host
	cfg    config.Rail
	key    Credential
	opens  opener
	book   *book
	mu     host.Mutex // guards orders
	orders orders
}

// NewService opens the rail's book and returns the rail, which obeys whoever shows credential.
func NewService(h host.Host, cfg config.Rail, credential Credential) (*Service, error) {
	b, err := openBook(h, cfg.Accepts)
	if err != nil {
		return nil, err
	}
	return &Service{h: h, cfg: cfg, key: credential, opens: openerOf(cfg.Credential, credential), book: b, mu: h.NewMutex()}, nil
}

// ServeHTTP implements http.Handler.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path != PaymentsPath && r.URL.Path != StatementsPath && !s.voids(r) && !s.rotates(r):
		wire.Refuse(w, http.StatusNotFound, "NOT_FOUND")
	case !s.opens(s, r):
		wire.Refuse(w, http.StatusUnauthorized, Unauthorized)
	case r.URL.Path == PaymentsPath && r.Method == http.MethodPost:
		s.pay(w, r)
	case s.voids(r) && r.Method == http.MethodPost:
		s.void(w, r)
	case s.rotates(r):
		s.rotation(w, r)
	case r.URL.Path == StatementsPath && r.Method == http.MethodGet:
		st := s.book.statement(s.cfg.StatementDelay)
		wire.Reply(w, http.StatusOK, &st)
	default:
		wire.Refuse(w, http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED")
	}
}

// pay handles one payment. Once it is received the caller's leaving changes nothing: the rail
// does not know that anybody gave up.
func (s *Service) pay(w http.ResponseWriter, r *http.Request) {
	var o Order
	if !wire.Decode(w, r, &o) {
		return
	}
	if o.Memo == "" || o.Account == "" || o.Amount <= 0 {
		wire.Refuse(w, http.StatusBadRequest, wire.BadRequest)
		return
	}
	request := r.Header.Get(wire.RequestIDHeader)
	s.h.Record(history.Event{Kind: history.OK, Op: history.RailReceived, Truth: true,
		Payout: o.Memo, Account: o.Account, Amount: o.Amount, Request: request})
	s.answer(w, r, o.Memo, func() (Answer, int, error) {
		p, err := s.book.pay(o, request)
		if errors.Is(err, errStale) {
			return Answer{Error: Stale}, http.StatusConflict, nil
		}
		return Answer{Reference: p.Reference, ClockMs: p.ClockMs}, http.StatusOK, err
	})
}

// answer moves money as the standing instruction for a memo has it, and answers, or not.
func (s *Service) answer(w http.ResponseWriter, r *http.Request, memo string, move func() (a Answer, status int, err error)) {
	s.mu.Lock()
	d := s.orders.take(s.h.Directive(DirectiveName), memo)
	s.mu.Unlock()

	ctx := s.h.Detach(r.Context())
	switch d.Kind {
	case NoAnswer:
		// Held until the caller leaves, or as long as the rail holds anything.
		_ = s.h.Sleep(r.Context(), s.cfg.MaxDelay)
		wire.Refuse(w, http.StatusGatewayTimeout, "NO_ANSWER")
		return
	case Decline:
		s.wait(ctx, s.cfg.Latency)
		wire.Reply(w, http.StatusUnprocessableEntity, &Answer{Error: Declined, ClockMs: s.book.now() / 1e6})
		return
	case Late:
		s.wait(ctx, min(d.Delay, s.cfg.MaxDelay))
	default:
		s.wait(ctx, s.cfg.Latency)
	}
	a, status, err := move()
	if err != nil || d.Kind == Execute5xx && status == http.StatusOK {
		wire.Refuse(w, http.StatusInternalServerError, "INTERNAL")
		return
	}
	if d.Kind == Slow {
		s.wait(ctx, min(d.Delay, s.cfg.MaxDelay))
	}
	wire.Reply(w, status, &a)
}

// wait sleeps for d; ctx is detached, so nothing cuts it short.
func (s *Service) wait(ctx context.Context, d time.Duration) {
	if d > 0 {
		_ = s.h.Sleep(ctx, d)
	}
}
