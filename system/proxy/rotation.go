package proxy

import (
	"context"
	"fmt"
	"net/http"

	"dlsim/system/config"
	"dlsim/system/rail"
	"dlsim/system/wire"
)

// RotationPath has the rail's credential rotated, before a rail that can do that (rail.credential): the
// proxy asks, since nobody else has the credential (ADR-007 D1).
const RotationPath = "/v1/rotations"

// keys says what to show the rail. A submission's key is learnt before its admission begins: an intent
// that anybody has seen was thus written under a key at least as old as that look, and whatever is
// rotated after the look refuses it, however long its proxy sleeps in between.
type keys func(s *Service, ctx context.Context) (rail.Credential, error)

func keysOf(setting string) keys {
	if setting == config.CredentialRotated {
		return current
	}
	return given
}

// given is the design: the credential that the proxy was started with.
func given(s *Service, _ context.Context) (rail.Credential, error) { return s.credential, nil }

// current asks the rail for its epoch, each time. An older answer would do no harm, it would only be refused.
func current(s *Service, ctx context.Context) (rail.Credential, error) {
	ctx, cancel := s.h.WithTimeout(ctx, s.cfg.Rail.Proxy.ForwardTimeout)
	defer cancel()
	var e rail.Epoch
	status, err := s.rail.Do(ctx, wire.Call{
		Method: http.MethodGet, Base: s.railURL, Path: rail.CredentialPath, Bearer: s.credential.Reveal(),
	}, &e)
	switch {
	case err != nil:
		return "", fmt.Errorf("ask the rail for its epoch: %w", err)
	case status != http.StatusOK:
		return "", fmt.Errorf("ask the rail for its epoch: status %d", status)
	}
	return s.credential.In(e.Number), nil
}

// withAnother does what a client of tokens does by itself: it fetches a new credential when the one that
// it showed is refused, and sends again. That refusal was all that stood between a sleeper and the money.
func withAnother(s *Service, ctx context.Context, sub Submission) (state, reference string) {
	state, reference, code := s.forward(ctx, sub)
	if code != rail.Unauthorized {
		return state, reference
	}
	key, err := s.keys(s, ctx)
	if err != nil {
		return state, reference
	}
	sub.Key = key
	state, reference, _ = s.forward(ctx, sub)
	return state, reference
}

// rotates says whether r asks for the operation that only some rails have.
func (s *Service) rotates(r *http.Request) bool {
	return s.cfg.Rail.Credential == config.CredentialRotated && r.URL.Path == RotationPath && r.Method == http.MethodPost
}

// rotationRequest is the body of a request to rotate.
type rotationRequest struct {
	Epoch int64 `json:"epoch"` // that is to end
}

// rotate has the rail end an epoch, under that epoch's own credential: where it has ended already, this
// is refused and harms nobody's request.
func (s *Service) rotate(w http.ResponseWriter, r *http.Request) {
	var q rotationRequest
	if !wire.Decode(w, r, &q) {
		return
	}
	ctx, cancel := s.h.WithTimeout(s.h.Detach(r.Context()), s.cfg.Rail.Proxy.ForwardTimeout)
	defer cancel()
	var e rail.Epoch
	status, err := s.rail.Do(ctx, wire.Call{
		Method: http.MethodPost, Base: s.railURL, Path: rail.CredentialPath, Bearer: s.credential.In(q.Epoch).Reveal(),
	}, &e)
	if err != nil || status != http.StatusOK {
		wire.Refuse(w, http.StatusBadGateway, CodeRail)
		return
	}
	wire.Reply(w, http.StatusOK, &e)
}

// Rotate asks for the rail's credential of an epoch to be replaced, once, and returns the epoch that has
// begun. An error says nothing about whether one has; the statement tells.
func (c *Client) Rotate(ctx context.Context, epoch int64) (e rail.Epoch, err error) {
	status, err := c.wire.Do(ctx, wire.Call{Method: http.MethodPost, Base: c.route(c, ""), Path: RotationPath, Body: &rotationRequest{epoch}}, &e)
	switch {
	case err != nil:
		return e, fmt.Errorf("%w: %w", ErrUnanswered, err)
	case status != http.StatusOK || e.Number <= epoch || e.ClockMs <= 0:
		return e, fmt.Errorf("%w: status %d, no epoch", ErrUnanswered, status)
	}
	return e, nil
}
