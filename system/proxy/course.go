package proxy

import (
	"context"

	"dlsim/history"
	"dlsim/system/config"
	"dlsim/system/paydb"
	"dlsim/system/rail"

	"github.com/jackc/pgx/v5"
)

// passage is what became of a submission at this proxy.
type passage struct {
	verdict   Verdict
	code      string // of a refusal
	state     string // of the submission row, when admitted
	reference string
}

// course is the order of admission, forward and outcome.
type course func(s *Service, ctx context.Context, sub Submission) passage

func courseOf(cfg *config.Rail) course {
	if cfg.In == config.RailInPaydb {
		return insidePaydb
	}
	switch cfg.Proxy.Intent {
	case config.IntentAfter:
		return forwardFirst
	case config.IntentSameTransaction:
		return oneTransaction
	}
	return intentFirst
}

// intentFirst is the design: the intent is committed, then the rail is called, once, and then the
// outcome is written down (ADR-007 D3).
func intentFirst(s *Service, ctx context.Context, sub Submission) passage {
	expired := s.deadline()
	v, code := s.admit(ctx, sub, s.cfg.Rail.Proxy.AdmitTimeout, s.admission)
	if v != Admitted {
		return passage{verdict: v, code: code}
	}
	if expired() {
		s.writeOutcome(ctx, sub, paydb.Rejected, "")
		return passage{Admitted, "", paydb.Rejected, ""}
	}
	state, reference := s.send(s, ctx, sub)
	s.writeOutcome(ctx, sub, state, reference)
	return passage{Admitted, "", state, reference}
}

// deadline begins to count what an admission may last (rail.proxy.send_within). Nothing makes the
// look and the send one step: a proxy that stops between them sends all the same.
func (s *Service) deadline() (expired func() bool) {
	within := s.cfg.Rail.Proxy.SendWithin
	if within == 0 {
		return func() bool { return false }
	}
	begun := s.h.Monotonic()
	return func() bool { return s.h.Monotonic()-begun > within }
}

// forwardFirst pays and then records: who dies in between leaves no trace of the money.
func forwardFirst(s *Service, ctx context.Context, sub Submission) passage {
	state, reference := s.send(s, ctx, sub)
	v, code := s.admit(ctx, sub, s.cfg.Rail.Proxy.AdmitTimeout, s.admission)
	if v != Admitted {
		return passage{verdict: v, code: code}
	}
	s.writeOutcome(ctx, sub, state, reference)
	return passage{Admitted, "", state, reference}
}

// oneTransaction keeps the rail's call inside the transaction that records it: whatever aborts that
// transaction undoes the record and not the payment (field report F01).
func oneTransaction(s *Service, ctx context.Context, sub Submission) passage {
	var state, reference string
	forward := func(context.Context, pgx.Tx, paydb.Payout, int64) error {
		state, reference = s.send(s, ctx, sub)
		return nil
	}
	record := func(ctx context.Context, tx pgx.Tx, p paydb.Payout, token int64) error {
		return paydb.RecordOutcome(ctx, tx, p, token, state, reference)
	}
	timeout := s.cfg.Rail.Proxy.AdmitTimeout + s.cfg.Rail.Proxy.ForwardTimeout
	v, code := s.admit(ctx, sub, timeout, Checked{s.db, []paydb.Check{paydb.AdvanceMark, paydb.WriteIntent, forward, record}})
	return passage{v, code, state, reference}
}

// insidePaydb has no rail: a row of the same transaction counts as the payment (ADR-004 A4.4).
func insidePaydb(s *Service, ctx context.Context, sub Submission) passage {
	request := s.nextRequest()
	send := func(ctx context.Context, tx pgx.Tx, p paydb.Payout, token int64) error {
		e := sub.event(history.RailForward)
		e.Request = request
		e.Call = s.h.Record(e)
		err := paydb.Send(ctx, tx, p, request)
		if e.Kind, e.Reference = history.OK, request; err != nil {
			e.Kind, e.Reference = history.Fail, ""
		}
		s.h.Record(e)
		if err != nil {
			return err
		}
		return paydb.RecordOutcome(ctx, tx, p, token, paydb.Accepted, request)
	}
	v, code := s.admit(ctx, sub, s.cfg.Rail.Proxy.AdmitTimeout, Checked{s.db, []paydb.Check{paydb.AdvanceMark, paydb.WriteIntent, send}})
	return passage{v, code, paydb.Accepted, request}
}

// sender calls the rail for an admitted submission.
type sender func(s *Service, ctx context.Context, sub Submission) (state, reference string)

func senderOf(retry string) sender {
	switch retry {
	case config.RetryOnTimeout:
		return again("")
	case config.RetryOn5xx:
		return again("RAIL_5XX")
	case config.RetryOn401:
		return withAnother
	}
	return once
}

// once is the design: one call and no more (ADR-007 D4).
func once(s *Service, ctx context.Context, sub Submission) (state, reference string) {
	state, reference, _ = s.forward(ctx, sub)
	return state, reference
}

// again calls a second time when the first answer tells nothing, or when it is the given code.
func again(code string) sender {
	return func(s *Service, ctx context.Context, sub Submission) (state, reference string) {
		state, reference, got := s.forward(ctx, sub)
		if state == paydb.Timeout && (code == "" || code == got) {
			state, reference, _ = s.forward(ctx, sub)
		}
		return state, reference
	}
}

// orderOf is what the rail is told of a submission.
func orderOf(accepts string) func(Submission) *rail.Order {
	plain := func(s Submission) *rail.Order {
		return &rail.Order{Memo: s.ID, Account: s.Account, Amount: s.Amount}
	}
	if accepts != config.AcceptByToken {
		return plain
	}
	return func(s Submission) *rail.Order {
		o := plain(s)
		o.Token = s.Token
		return o
	}
}
