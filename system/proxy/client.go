package proxy

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"dlsim/system/config"
	"dlsim/system/dberr"
	"dlsim/system/host"
	"dlsim/system/paydb"
	"dlsim/system/rail"
	"dlsim/system/wire"
)

// Errors of the client besides those of paydb: ErrFencedOut and ErrDuplicate are definite.
var (
	// ErrAmbiguous: the proxy forwarded, and does not know what the rail did.
	ErrAmbiguous = errors.New("the rail's outcome is unknown")
	// ErrUnavailable: the proxy forwarded nothing; an intent may be recorded.
	ErrUnavailable = errors.New("the proxy has no payout database")
	// ErrUnanswered: no intelligible answer; anything may have happened or may yet.
	ErrUnanswered = errors.New("the proxy did not answer")
)

// Client calls one of several proxies, chosen for each request, and never twice.
type Client struct {
	h       host.Host
	wire    *wire.Client
	proxies []string // base URLs
	purpose string
	route   func(c *Client, account string) string
}

// NewClient returns h's client of the proxies at the given base URLs. Draws are made for purpose;
// routing is the setting executor.routing.
func NewClient(h host.Host, proxies []string, purpose, routing string) *Client {
	c := &Client{h: h, wire: wire.NewClient(h), proxies: proxies, purpose: purpose, route: atRandom}
	if routing == config.RouteSticky {
		c.route = byAccount
	}
	return c
}

// Submit asks for one payment, once. The state is ACCEPTED or REJECTED when err is nil.
func (c *Client) Submit(ctx context.Context, p paydb.Payout, token int64) (state string, err error) {
	var a submissionAnswer
	status, err := c.wire.Do(ctx, wire.Call{
		Method: http.MethodPost, Base: c.route(c, p.Account), Path: SubmissionsPath,
		Body: &submitRequest{Payout: p.ID, Account: p.Account, Token: token, Amount: p.Amount},
	}, &a)
	switch {
	case err != nil:
		return "", fmt.Errorf("%w: %w", ErrUnanswered, err)
	case status == http.StatusOK && (a.State == paydb.Accepted || a.State == paydb.Rejected) && a.Token == token:
		return a.State, nil
	case status == http.StatusConflict && a.Error == CodeFencedOut:
		return "", paydb.ErrFencedOut
	case status == http.StatusConflict && a.Error == CodeDuplicate:
		return "", paydb.ErrDuplicate
	case status == http.StatusConflict && a.Error == CodeAmbiguous:
		return "", ErrAmbiguous
	case status == http.StatusServiceUnavailable && a.Error == CodePaydb:
		return "", ErrUnavailable
	}
	return "", fmt.Errorf("%w: status %d %s", ErrUnanswered, status, a.Error)
}

// Ask returns the state of a payout's submission, paydb.None when it has none.
func (c *Client) Ask(ctx context.Context, p paydb.Payout) (state string, err error) {
	var a submissionAnswer
	status, err := c.wire.Do(ctx, wire.Call{Method: http.MethodGet, Base: c.route(c, p.Account), Path: SubmissionsPath + "/" + p.ID}, &a)
	switch {
	case err != nil:
		return "", fmt.Errorf("%w: %w", ErrUnanswered, err)
	case status == http.StatusOK && a.State != "":
		return a.State, nil
	}
	return "", fmt.Errorf("%w: status %d %s", ErrUnanswered, status, a.Error)
}

// Statement reads the rail's statement through a proxy, since nobody else may call the rail.
func (c *Client) Statement(ctx context.Context) (rail.Statement, error) {
	var st rail.Statement
	status, err := c.wire.Do(ctx, wire.Call{Method: http.MethodGet, Base: c.route(c, ""), Path: StatementPath}, &st)
	switch {
	case err != nil:
		return st, fmt.Errorf("%w: %w", ErrUnanswered, err)
	case status != http.StatusOK || st.ClockMs <= 0 || st.CutoffMs > st.ClockMs:
		return st, fmt.Errorf("%w: status %d, no statement", ErrUnanswered, status)
	}
	return st, nil
}

// atRandom is the design: any replica is as good as another, since they share nothing but paydb.
func atRandom(c *Client, _ string) string {
	if n := uint64(len(c.proxies)); n > 1 {
		return c.proxies[c.h.Uint64n(c.purpose, n)]
	}
	return c.proxies[0]
}

// byAccount keeps an account with one replica: a load balancer's setting in an invariant's place
// (ADR-007 7.4).
func byAccount(c *Client, account string) string {
	sum := uint32(0)
	for i := range len(account) {
		sum = sum*31 + uint32(account[i])
	}
	return c.proxies[sum%uint32(len(c.proxies))]
}

// answerCode names, for the history, an answer that tells nothing.
func answerCode(status int, err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "DEADLINE"
	case errors.Is(err, context.Canceled):
		return "CANCELED"
	case err != nil:
		return "CONNECTION"
	case status >= 500:
		return "RAIL_5XX"
	}
	return "UNINTELLIGIBLE"
}

// dberrCode names, for the history, why paydb did not take a write.
func dberrCode(err error) string {
	if paydb.Refused(err) {
		return "NOT_TAKEN"
	}
	return dberr.Code(err)
}
