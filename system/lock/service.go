package lock

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"dlsim/system/config"
	"dlsim/system/host"
	"dlsim/system/wire"
)

// Codes of the service's refusals.
const (
	Held        = "LOCK_HELD"           // 409
	Lost        = "LOCK_LOST"           // 409
	Unavailable = "BACKEND_UNAVAILABLE" // 503
)

// pathPrefix precedes the lock key in every path.
const pathPrefix = "/v1/locks/"

// maxTTL bounds a lease, so that a slip of the pen does not lock an account for a year.
const maxTTL = time.Hour

type acquireRequest struct {
	Owner string `json:"owner"`
	TTLMs int64  `json:"ttl_ms"`
}

type grantRequest struct {
	Owner string `json:"owner"`
	Token int64  `json:"token"`
}

// answerBody is every answer of the service; which fields are set depends on the request.
type answerBody struct {
	Error string `json:"error,omitempty"`
	// Unknown comes with BACKEND_UNAVAILABLE when the request may have taken effect.
	Unknown bool   `json:"unknown,omitempty"`
	Owner   string `json:"owner,omitempty"`
	Token   int64  `json:"token,omitempty"`
	TTLMs   int64  `json:"ttl_ms,omitempty"`
	// Pointers, since encoding takes four times as long with omitzero.
	GrantedAt *time.Time `json:"granted_at,omitempty"` // on the granting side's clock
	ExpiresAt *time.Time `json:"expires_at,omitempty"`
}

// Service answers the lock service's requests. It keeps nothing in memory: any number of them may
// stand before one backend.
type Service struct {
	h       host.Host
	backend Backend
	timeout time.Duration
}

// NewService returns the service over backend.
func NewService(h host.Host, cfg config.Lock, backend Backend) *Service {
	return &Service{h: h, backend: backend, timeout: cfg.Backing}
}

// ServeHTTP implements http.Handler.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key, act, ok := route(r.URL.Path)
	if !ok {
		wire.Refuse(w, http.StatusNotFound, "NOT_FOUND")
		return
	}
	want := http.MethodPost
	if act == "" {
		want = http.MethodGet
	}
	if r.Method != want {
		wire.Refuse(w, http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED")
		return
	}
	switch act {
	case "":
		s.holder(w, r, key)
	case "acquire":
		s.acquire(w, r, key)
	case "renew":
		s.renew(w, r, key)
	default:
		s.release(w, r, key)
	}
}

// route takes a path apart; act is "" for the lock itself.
func route(path string) (key, act string, ok bool) {
	rest, ok := strings.CutPrefix(path, pathPrefix)
	if !ok {
		return "", "", false
	}
	key, act, deeper := strings.Cut(rest, "/")
	if !wire.ValidID(key) {
		return "", "", false
	}
	switch act {
	case "acquire", "renew", "release":
		return key, act, true
	}
	return key, act, !deeper
}

func (s *Service) acquire(w http.ResponseWriter, r *http.Request, key string) {
	var q acquireRequest
	if !wire.Decode(w, r, &q) {
		return
	}
	if !wire.ValidID(q.Owner) || q.TTLMs <= 0 || q.TTLMs > maxTTL.Milliseconds() {
		wire.Refuse(w, http.StatusBadRequest, wire.BadRequest)
		return
	}
	ctx, cancel := s.h.WithTimeout(r.Context(), s.timeout)
	defer cancel()
	g, err := s.backend.Acquire(ctx, key, q.Owner, time.Duration(q.TTLMs)*time.Millisecond)
	s.answer(w, g, err)
}

func (s *Service) renew(w http.ResponseWriter, r *http.Request, key string) {
	q, ok := decodeGrant(w, r)
	if !ok {
		return
	}
	ctx, cancel := s.h.WithTimeout(r.Context(), s.timeout)
	defer cancel()
	g, err := s.backend.Renew(ctx, key, q.Owner, q.Token)
	s.answer(w, g, err)
}

func (s *Service) release(w http.ResponseWriter, r *http.Request, key string) {
	q, ok := decodeGrant(w, r)
	if !ok {
		return
	}
	ctx, cancel := s.h.WithTimeout(r.Context(), s.timeout)
	defer cancel()
	s.answer(w, Grant{}, s.backend.Release(ctx, key, q.Owner, q.Token))
}

func (s *Service) holder(w http.ResponseWriter, r *http.Request, key string) {
	ctx, cancel := s.h.WithTimeout(r.Context(), s.timeout)
	defer cancel()
	g, err := s.backend.Holder(ctx, key)
	s.answer(w, g, err)
}

// decodeGrant reads who wants to act on which grant. A token that is missing is not a token
// (field report F14).
func decodeGrant(w http.ResponseWriter, r *http.Request) (q grantRequest, ok bool) {
	if !wire.Decode(w, r, &q) {
		return q, false
	}
	if !wire.ValidID(q.Owner) || q.Token <= 0 {
		wire.Refuse(w, http.StatusBadRequest, wire.BadRequest)
		return q, false
	}
	return q, true
}

func (s *Service) answer(w http.ResponseWriter, g Grant, err error) {
	switch {
	case err == nil:
		a := answerBody{Owner: g.Owner, Token: g.Token, TTLMs: g.TTL.Milliseconds()}
		if !g.Expires.IsZero() {
			granted, expires := g.Expires.Add(-g.TTL), g.Expires
			a.GrantedAt, a.ExpiresAt = &granted, &expires
		}
		wire.Reply(w, http.StatusOK, &a)
	case errors.Is(err, ErrHeld):
		wire.Refuse(w, http.StatusConflict, Held)
	case errors.Is(err, ErrLost):
		wire.Refuse(w, http.StatusConflict, Lost)
	default:
		wire.Reply(w, http.StatusServiceUnavailable, &answerBody{Error: Unavailable, Unknown: !errors.Is(err, ErrNoEffect)})
	}
}
