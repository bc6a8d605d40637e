package reconciler

import (
	"context"
	"errors"
	"slices"

	"dlsim/history"
	"dlsim/system/config"
	"dlsim/system/proxy"
	"dlsim/system/rail"
)

// mending puts right, after a round, what the rail's statement shows to have gone wrong. It reports
// whether there was anything to do.
type mending func(ctx context.Context) (acted bool)

func (r *Reconciler) mendingOf(cfg *config.Config) mending {
	if !cfg.Rail.Void {
		return nothing
	}
	c := &compensation{r: r, once: cfg.Reconciler.Compensation == config.CompensateOnce}
	return c.round
}

// nothing is the design: this rail takes nothing back, so there is nothing to be done about a payment
// that should not be there.
func nothing(context.Context) bool { return false }

// compensation has the later ones taken back where a payout was paid more than once (ADR-004 A4.5:
// what a rail that can reverse would allow in the lock's place). It needs no memory and no fence, for
// the statement is its memory and a void names one payment.
type compensation struct {
	r    *Reconciler
	once bool
	sent []string // references asked for, where each is asked for once
}

func (c *compensation) round(ctx context.Context) (acted bool) {
	read, cancel := c.r.h.WithTimeout(ctx, c.r.cfg.Rail.Proxy.ForwardTimeout)
	st, err := c.r.proxy.Statement(read)
	cancel()
	if err != nil {
		return false
	}
	for _, p := range st.Standing() {
		if c.once {
			if slices.Contains(c.sent, p.Reference) {
				continue
			}
			c.sent = append(c.sent, p.Reference)
		}
		c.takeBack(ctx, &p)
		acted = true
	}
	return acted
}

func (c *compensation) takeBack(ctx context.Context, p *rail.Payment) {
	e := history.Event{Op: history.ReconcileVoid, Payout: p.Memo, Account: p.Account, Amount: p.Amount, Reference: p.Reference}
	e.Call = c.r.h.Record(e)
	// Longer than the proxy waits for the rail, as an executor's is.
	ctx, cancel := c.r.h.WithTimeout(ctx, c.r.cfg.Executor.SubmitTimeout)
	defer cancel()
	err := c.r.proxy.Void(ctx, p)
	switch {
	case err == nil:
		e.Kind = history.OK
	case errors.Is(err, proxy.ErrNotVoided):
		e.Kind, e.Error = history.Fail, proxy.CodeNotVoided
	default:
		e.Kind, e.Error = history.Info, "NO_ANSWER"
	}
	c.r.h.Record(e)
}
