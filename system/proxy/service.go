// Package proxy is the rail-proxy: the only process that may call the rail, and the fence before
// it. Its replicas share nothing but paydb.
package proxy

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"dlsim/history"
	"dlsim/system/config"
	"dlsim/system/host"
	"dlsim/system/paydb"
	"dlsim/system/rail"
	"dlsim/system/wire"
)

// Paths of the proxy. A payout id follows the first for a single submission.
const (
	SubmissionsPath = "/v1/submissions"
	StatementPath   = "/v1/statement"
)

// Codes of the proxy's refusals.
const (
	CodeFencedOut = "FENCED_OUT"           // 409: the rail was not and will not be called
	CodeDuplicate = "DUPLICATE_SUBMISSION" // 409: the same, for this submission
	CodeAmbiguous = "RAIL_AMBIGUOUS"       // 409: forwarded, outcome unknown
	CodePaydb     = "PAYDB_UNAVAILABLE"    // 503: not forwarded; an intent may be recorded
	CodeRail      = "RAIL_UNAVAILABLE"     // 502: the rail did not say what it was asked; no payment was forwarded
)

// outcomeTries is how often the proxy tries to write an outcome down. Repeating that write is
// safe; giving up is too, since the row stays open and the statement tells.
const outcomeTries = 3

// submitRequest is the body of a submission.
type submitRequest struct {
	Payout  string `json:"payout_id"`
	Account string `json:"account_id"`
	Token   int64  `json:"token"`
	Amount  int64  `json:"amount_minor"`
}

// submissionAnswer is every answer about a submission.
type submissionAnswer struct {
	Error     string `json:"error,omitempty"`
	State     string `json:"state,omitempty"`
	Token     int64  `json:"token,omitempty"`
	Reference string `json:"rail_reference,omitempty"`
}

// Service is one replica of the proxy.
type Service struct {
	h          host.Host
	cfg        config.Config
	db         *paydb.Store
	admission  Admission
	course     course
	send       sender
	order      func(Submission) *rail.Order
	keys       keys
	rail       *wire.Client
	railURL    string
	credential rail.Credential

	boot string     // differs from one start of the process to the next
	mu   host.Mutex // guards sent
	sent uint64     // requests to the rail since boot
}

// NewService returns a replica that calls the rail at the base URL railURL. The lock services at
// lockds are no business of the design's; one rejected guard asks them.
func NewService(h host.Host, cfg config.Config, railURL string, credential rail.Credential, lockds []string) *Service {
	db := paydb.NewStore(h.DB("paydb"), cfg.Paydb)
	return &Service{
		h: h, cfg: cfg, db: db,
		admission: newAdmission(h, cfg, db, lockds), course: courseOf(&cfg.Rail), send: senderOf(cfg.Rail.Proxy.Retry), order: orderOf(cfg.Rail.Accepts), keys: keysOf(cfg.Rail.Credential),
		rail: wire.NewClient(h), railURL: railURL, credential: credential,
		boot: h.Name() + "/" + strconv.FormatUint(h.Uint64n("proxy.boot", 1<<40), 36) + "/",
		mu:   h.NewMutex(),
	}
}

// ServeHTTP implements http.Handler.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	payout, single := strings.CutPrefix(path, SubmissionsPath+"/")
	switch {
	case path == SubmissionsPath && r.Method == http.MethodPost:
		s.submit(w, r)
	case s.voids(r):
		s.void(w, r)
	case s.rotates(r):
		s.rotate(w, r)
	case single && !wire.ValidID(payout), path != SubmissionsPath && path != StatementPath && !single:
		wire.Refuse(w, http.StatusNotFound, "NOT_FOUND")
	case single && r.Method == http.MethodGet:
		s.ask(w, r, payout)
	case path == StatementPath && r.Method == http.MethodGet:
		s.statement(w, r)
	default:
		wire.Refuse(w, http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED")
	}
}

// submit takes a submission through its course and answers.
func (s *Service) submit(w http.ResponseWriter, r *http.Request) {
	var q submitRequest
	if !wire.Decode(w, r, &q) {
		return
	}
	// An absent token is no token, and certainly not a low one (field report F14).
	if !wire.ValidID(q.Payout) || !wire.ValidID(q.Account) || q.Token <= 0 || q.Amount <= 0 {
		wire.Refuse(w, http.StatusBadRequest, wire.BadRequest)
		return
	}
	// From here on the client's leaving must not cut short what has begun.
	ctx := s.h.Detach(r.Context())
	key, err := s.keys(s, ctx)
	if err != nil {
		wire.Refuse(w, http.StatusBadGateway, CodeRail)
		return
	}
	sub := Submission{Payout: paydb.Payout{ID: q.Payout, Account: q.Account, Amount: q.Amount}, Token: q.Token, Key: key}
	o := s.course(s, ctx, sub)
	switch {
	case o.verdict == FencedOut, o.verdict == Duplicate:
		wire.Refuse(w, http.StatusConflict, o.code)
	case o.verdict != Admitted:
		s.unavailable(w, sub.ID, o.code)
	case o.state == paydb.Timeout:
		wire.Refuse(w, http.StatusConflict, CodeAmbiguous)
	default:
		wire.Reply(w, http.StatusOK, &submissionAnswer{State: o.state, Token: sub.Token, Reference: o.reference})
	}
}

// admit runs the admission and records it.
func (s *Service) admit(ctx context.Context, sub Submission, timeout time.Duration, admission Admission) (Verdict, string) {
	e := sub.event(history.ProxyAdmit)
	e.Call = s.h.Record(e)
	ctx, cancel := s.h.WithTimeout(ctx, timeout)
	defer cancel()
	v, reason := admission.Admit(ctx, sub)
	e.Error = v.code(reason)
	switch v {
	case Admitted:
		e.Kind = history.OK
	case Unsettled:
		e.Kind = history.Info
	default:
		e.Kind = history.Fail
	}
	s.h.Record(e)
	if v == Duplicate {
		s.h.Record(history.Event{Kind: history.Info, Op: history.DuplicateAttempted,
			Payout: sub.ID, Account: sub.Account, Token: sub.Token})
	}
	return v, e.Error
}

// forward calls the rail, once and for ever. Only a clear yes or a clear no is an outcome.
func (s *Service) forward(ctx context.Context, sub Submission) (state, reference, code string) {
	e := sub.event(history.RailForward)
	e.Request = s.nextRequest()
	e.Call = s.h.Record(e)
	ctx, cancel := s.h.WithTimeout(ctx, s.cfg.Rail.Proxy.ForwardTimeout)
	defer cancel()
	var a rail.Answer
	status, err := s.rail.Do(ctx, wire.Call{
		Method: http.MethodPost, Base: s.railURL, Path: rail.PaymentsPath,
		Body:   s.order(sub),
		Bearer: sub.Key.Reveal(), RequestID: e.Request,
	}, &a)
	switch {
	case err == nil && status == http.StatusOK && a.Reference != "":
		state, e.Kind, e.Reference = paydb.Accepted, history.OK, a.Reference
	case err == nil && (status == http.StatusUnprocessableEntity && a.Error == rail.Declined ||
		status == http.StatusUnauthorized && a.Error == rail.Unauthorized):
		state, e.Kind, e.Error = paydb.Rejected, history.Fail, a.Error
	default:
		state, e.Kind, e.Error = paydb.Timeout, history.Info, answerCode(status, err)
	}
	s.h.Record(e)
	return state, e.Reference, e.Error
}

// writeOutcome turns INTENT into what the rail answered. If that fails the row stays INTENT, which
// says less than the truth and nothing false.
func (s *Service) writeOutcome(ctx context.Context, sub Submission, state, reference string) {
	e := sub.event(history.ProxyOutcome)
	e.State = state
	e.Call = s.h.Record(e)
	fate, err := paydb.Undone, error(nil)
	for range outcomeTries {
		try, cancel := s.h.WithTimeout(ctx, s.cfg.Paydb.Timeout)
		var f paydb.Fate
		f, err = s.db.Outcome(try, sub.ID, sub.Token, state, reference)
		cancel()
		if f == paydb.Done || paydb.Refused(err) && fate == paydb.Undone {
			fate = f
			break
		}
		if paydb.Refused(err) {
			break // an earlier try of unknown fate may have been the one; it stays unknown
		}
		if f == paydb.Unknown {
			fate = f
		}
	}
	switch {
	case fate == paydb.Done:
		e.Kind = history.OK
	case fate == paydb.Unknown:
		e.Kind, e.Error = history.Info, dberrCode(err)
	default:
		e.Kind, e.Error = history.Fail, dberrCode(err)
	}
	s.h.Record(e)
}

// ask answers what paydb holds about a payout's submission. NONE is an answer of its own: an
// absent row must not be mistaken for a failed look.
func (s *Service) ask(w http.ResponseWriter, r *http.Request, payout string) {
	ctx, cancel := s.h.WithTimeout(r.Context(), s.cfg.Paydb.Timeout)
	defer cancel()
	row, err := s.db.Submission(ctx, payout)
	if err != nil {
		s.unavailable(w, payout, dberrCode(err))
		return
	}
	wire.Reply(w, http.StatusOK, &submissionAnswer{State: row.State, Token: row.Token, Reference: row.Reference})
}

// statement fetches the rail's statement for who has no credential.
func (s *Service) statement(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := s.h.WithTimeout(r.Context(), s.cfg.Rail.Proxy.ForwardTimeout)
	defer cancel()
	key, err := s.keys(s, ctx)
	if err != nil {
		wire.Refuse(w, http.StatusBadGateway, CodeRail)
		return
	}
	var st rail.Statement
	status, err := s.rail.Do(ctx, wire.Call{
		Method: http.MethodGet, Base: s.railURL, Path: rail.StatementsPath, Bearer: key.Reveal(),
	}, &st)
	if err != nil || status != http.StatusOK {
		wire.Refuse(w, http.StatusBadGateway, CodeRail)
		return
	}
	wire.Reply(w, http.StatusOK, &st)
}

func (s *Service) unavailable(w http.ResponseWriter, payout, code string) {
	s.h.Record(history.Event{Kind: history.Info, Op: history.PaydbUnavailable, Payout: payout, Error: code})
	wire.Refuse(w, http.StatusServiceUnavailable, CodePaydb)
}

// nextRequest names a request to the rail, uniquely over restarts and replicas.
func (s *Service) nextRequest() string {
	s.mu.Lock()
	s.sent++
	n := s.sent
	s.mu.Unlock()
	return s.boot + strconv.FormatUint(n, 10)
}

// event is the invocation of op for the submission.
func (s Submission) event(op history.Op) history.Event {
	return history.Event{Op: op, Payout: s.ID, Account: s.Account, Token: s.Token, Amount: s.Amount}
}
