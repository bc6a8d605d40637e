package lock

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"dlsim/history"
	"dlsim/system/config"
	"dlsim/system/host"
	"dlsim/system/wire"
)

// ErrUnanswered: the service gave no answer that tells. The request may have taken effect.
var ErrUnanswered = errors.New("lock service did not answer")

// Client asks for locks on behalf of one process and records what it believed.
type Client struct {
	h       host.Host
	wire    *wire.Client
	lockds  []string // base URLs
	ttl     time.Duration
	margin  time.Duration
	timeout time.Duration
	from    func(h host.Host, sent time.Duration) time.Duration // when a lease that was asked for at sent began
}

// NewClient returns h's client of the lock services at the base URLs lockds.
func NewClient(h host.Host, cfg config.Lock, lockds []string) *Client {
	c := &Client{h: h, wire: wire.NewClient(h), lockds: lockds, ttl: cfg.TTL, margin: cfg.Margin, timeout: cfg.Timeout, from: fromSend}
	if cfg.LeaseFrom == config.FromReply {
		c.from = fromReply
	}
	return c
}

// Lease is a grant as its holder counts it down. The count is courtesy: it stops work that would
// be refused. Safety is the fence's.
type Lease struct {
	Key   string
	Token int64
	h     host.Host
	ends  time.Duration // on the holder's monotonic clock
	full  time.Duration // what the last grant or renewal gave, less the margin
}

// Remaining is how long the holder may still work; 0 or less means stop.
func (l *Lease) Remaining() time.Duration { return l.ends - l.h.Monotonic() }

// Waning reports whether less than half of the lease is left.
func (l *Lease) Waning() bool { return l.Remaining() < l.full/2 }

// restart counts ttl from begun.
func (l *Lease) restart(begun, ttl, margin time.Duration) {
	l.full = ttl - margin
	l.ends = begun + l.full
}

// fromSend is the design: sent was read before the try that succeeded was sent, and the store cannot
// have begun to count earlier (field report F28).
func fromSend(_ host.Host, sent time.Duration) time.Duration { return sent }

// fromReply counts from when the answer came, which may be long after the store began to.
func fromReply(h host.Host, _ time.Duration) time.Duration { return h.Monotonic() }

// Acquire makes one try at key. The error is ErrHeld, or one that wraps ErrNoEffect or
// ErrUnanswered. A grant whose answer is lost expires by itself: nobody knows its token.
func (c *Client) Acquire(ctx context.Context, key string) (*Lease, error) {
	e := history.Event{Op: history.LockAcquire, Account: key, Owner: c.h.Name()}
	call := c.h.Record(e)
	sent := c.h.Monotonic()
	var a answerBody
	err := c.post(ctx, key, "/acquire", &acquireRequest{Owner: e.Owner, TTLMs: c.ttl.Milliseconds()}, &a, ErrHeld)
	if err == nil && (a.Token <= 0 || a.TTLMs <= 0) {
		err = fmt.Errorf("grant without token or ttl: %w", ErrUnanswered)
	}
	e.Token, e.Expires = a.Token, nanos(a.ExpiresAt)
	c.complete(e, call, err)
	if err != nil {
		return nil, err
	}
	l := &Lease{Key: key, Token: a.Token, h: c.h}
	l.restart(c.from(c.h, sent), time.Duration(a.TTLMs)*time.Millisecond, c.margin)
	return l, nil
}

// Renew asks for the full lease again. After ErrLost the lease is over; after any other error it
// counts on as before.
func (c *Client) Renew(ctx context.Context, l *Lease) error {
	e := history.Event{Op: history.LockRenew, Account: l.Key, Owner: c.h.Name(), Token: l.Token}
	call := c.h.Record(e)
	sent := c.h.Monotonic()
	var a answerBody
	err := c.post(ctx, l.Key, "/renew", &grantRequest{Owner: e.Owner, Token: l.Token}, &a, ErrLost)
	if err == nil && a.TTLMs <= 0 {
		err = fmt.Errorf("renewal without ttl: %w", ErrUnanswered)
	}
	e.Expires = nanos(a.ExpiresAt)
	c.complete(e, call, err)
	switch {
	case err == nil:
		l.restart(c.from(c.h, sent), time.Duration(a.TTLMs)*time.Millisecond, c.margin)
	case errors.Is(err, ErrLost):
		l.ends = sent
	}
	return err
}

// Release gives the lock back, once. If that fails the lease runs out by itself.
func (c *Client) Release(ctx context.Context, l *Lease) error {
	e := history.Event{Op: history.LockRelease, Account: l.Key, Owner: c.h.Name(), Token: l.Token}
	call := c.h.Record(e)
	var a answerBody
	err := c.post(ctx, l.Key, "/release", &grantRequest{Owner: e.Owner, Token: l.Token}, &a, ErrLost)
	c.complete(e, call, err)
	return err
}

// Holder asks for the token of the grant in force, 0 where there is none. The answer is old when it
// arrives, so nothing of the design asks.
func (c *Client) Holder(ctx context.Context, key string) (token int64, err error) {
	ctx, cancel := c.h.WithTimeout(ctx, c.timeout)
	defer cancel()
	var a answerBody
	status, err := c.wire.Do(ctx, wire.Call{Method: http.MethodGet, Base: c.pick(), Path: pathPrefix + key}, &a)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%w: %w", ErrUnanswered, err)
	case status != http.StatusOK:
		return 0, fmt.Errorf("lock service: status %d %s: %w", status, a.Error, ErrUnanswered)
	}
	return a.Token, nil
}

// pick chooses a lock service at random.
func (c *Client) pick() string {
	if n := uint64(len(c.lockds)); n > 1 {
		return c.lockds[c.h.Uint64n("lock.lockd", n)]
	}
	return c.lockds[0]
}

// post sends one request to one lock service, chosen at random. conflict is what a 409 means.
func (c *Client) post(ctx context.Context, key, act string, body any, a *answerBody, conflict error) error {
	ctx, cancel := c.h.WithTimeout(ctx, c.timeout)
	defer cancel()
	status, err := c.wire.Do(ctx, wire.Call{Method: http.MethodPost, Base: c.pick(), Path: pathPrefix + key + act, Body: body}, a)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrUnanswered, err)
	case status == http.StatusOK:
		return nil
	case status == http.StatusConflict && (a.Error == Held || a.Error == Lost):
		return conflict
	case status == http.StatusServiceUnavailable && a.Error == Unavailable && !a.Unknown, status == http.StatusBadRequest:
		return fmt.Errorf("lock service: %s: %w", a.Error, ErrNoEffect)
	}
	return fmt.Errorf("lock service: status %d %s: %w", status, a.Error, ErrUnanswered)
}

// complete records what became of the call. A definite failure is Fail, silence is Info.
func (c *Client) complete(e history.Event, call int64, err error) {
	e.Call = call
	switch {
	case err == nil:
		e.Kind = history.OK
	case errors.Is(err, ErrHeld):
		e.Kind, e.Error = history.Fail, Held
	case errors.Is(err, ErrLost):
		e.Kind, e.Error = history.Fail, Lost
	case errors.Is(err, ErrNoEffect):
		e.Kind, e.Error = history.Fail, Unavailable
	default:
		e.Kind, e.Error = history.Info, Unavailable
	}
	if e.Kind != history.OK {
		e.Expires = 0
		if e.Op == history.LockAcquire {
			e.Token = 0
		}
	}
	c.h.Record(e)
}

func nanos(t *time.Time) int64 {
	if t == nil {
		return 0
	}
	return t.UnixNano()
}
