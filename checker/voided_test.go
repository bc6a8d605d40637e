package checker

import (
	"strings"
	"testing"
	"time"

	"dlsim/history"
)

// paidTwice tells of a payout that was paid again, ten seconds later, by a proxy without checks.
func paidTwice(s *story) {
	claimed(s)
	s.pay("executor-1", "proxy-1", "p1", 1)
	s.post("p1", 1)
	s.lastPayment().Reference = "r1"
	s.after(10 * time.Second)
	s.admit("proxy-2", "p1", 2)
	s.paid(s.forward("proxy-2", "p1", 2))
	s.lastPayment().Reference = "r2"
}

func (s *story) lastPayment() *history.Event {
	for i := len(s.events) - 1; ; i-- {
		if s.events[i].Op == history.RailPaid {
			return &s.events[i]
		}
	}
}

func (s *story) void(reference, note string) {
	s.truth("rail", history.RailVoided, history.Event{Payout: "p1", Account: "a1", Amount: 100, Reference: reference, Note: note})
}

func TestAVoidEndsTheWindowAndLeavesTheDoublePaymentBroken(t *testing.T) {
	for _, c := range []struct {
		name   string
		tell   func(s *story)
		seen   string // of the two observations
		window time.Duration
		voided int
		stands bool // INV-04 still finds the payment of the POSTED payout
	}{
		{"nobody takes it back", func(s *story) { s.after(5 * time.Second) }, DoublePayment, 5*time.Second + time.Millisecond, 0, true},
		{"taken back after three seconds", func(s *story) { s.after(3*time.Second-time.Millisecond).void("r2", "") }, PaymentVoided, 3 * time.Second, 1, true},
		{"told twice", func(s *story) { s.void("r2", ""); s.after(time.Second).void("r2", history.Recovered) }, PaymentVoided, time.Millisecond, 1, true},
		{"the first one is taken back", func(s *story) { s.void("r1", "") }, PaymentVoided, time.Millisecond, 1, true},
		{"both are", func(s *story) { s.void("r1", ""); s.void("r2", "") }, PaymentVoided, time.Millisecond, 2, false},
		{"a payment that nobody knows", func(s *story) { s.void("r9", "") }, DoublePayment, 2 * time.Millisecond, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := tell(t)
			paidTwice(s)
			c.tell(s)
			r := s.judge()
			s.wantViolated(r, OnePayment, TwoPayments, "p1", "twice")
			for _, name := range []string{PaymentVoided, DoublePayment} {
				if r.Shows(name) != (name == c.seen) {
					t.Errorf("%s: %+v", name, r.Observation(name))
				}
			}
			if r.Measures.VoidWindow != c.window || r.Measures.Voided != c.voided {
				t.Errorf("window %v, voided %d", r.Measures.VoidWindow, r.Measures.Voided)
			}
			if broken := r.Invariant(NothingLost).Has(PostedWithoutPayment); broken == c.stands {
				t.Errorf("INV-04: %+v", r.Invariant(NothingLost))
			}
		})
	}
}

func TestAVoidThatWasReportedDoneMustBeInTheBook(t *testing.T) {
	for _, c := range []struct {
		kind   history.Kind
		voided bool
		false_ bool
	}{
		{history.OK, true, false}, {history.OK, false, true}, {history.Fail, true, false}, {history.Fail, false, false}, {history.Info, false, false},
	} {
		s := tell(t)
		paidTwice(s)
		call := s.begin("proxy-1", history.RailVoid, history.Event{Payout: "p1", Account: "a1", Reference: "r2"})
		if c.voided {
			s.void("r2", "")
		}
		s.done(call, c.kind, history.Event{Reference: "r2"})
		o := s.judge().Observation(FalseAnswer)
		if (o.Count > 0) != c.false_ || c.false_ && !strings.Contains(o.Sentence, "rail.void") {
			t.Errorf("%s, voided %v: %+v", c.kind, c.voided, o)
		}
	}
}
