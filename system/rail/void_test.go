package rail_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"dlsim/history"
	"dlsim/system/rail"
	"dlsim/system/wire"
)

// reversible starts a rail that can take payments back.
func reversible(t *testing.T) *bench {
	b := newBench(t)
	b.reversible = true
	b.serve()
	return b
}

func (b *bench) void(ctx context.Context, reference, key string) (int, rail.Answer, error) {
	var a rail.Answer
	status, err := b.wire.Do(ctx, wire.Call{Method: "POST", Base: "http://rail", Path: rail.VoidsPath, Bearer: key, RequestID: "v-" + reference,
		Body: &rail.VoidOrder{Reference: reference}}, &a)
	return status, a, err
}

// voided lists the voids that the history was told of.
func (b *bench) voided() (refs []string) {
	for _, e := range b.net.Events() {
		if e.Op == history.RailVoided {
			refs = append(refs, e.Reference+" "+e.Payout+e.Note)
		}
	}
	return refs
}

func TestTheRailOfTheDesignTakesNothingBack(t *testing.T) {
	b := start(t)
	_, p, _ := b.pay(context.Background(), "p")
	if status, _, _ := b.void(context.Background(), p.Reference, "k3y"); status != 404 || b.voided() != nil {
		t.Error(status, b.voided())
	}
}

func TestAVoidTakesOnePaymentBackOnce(t *testing.T) {
	b := reversible(t)
	ctx := context.Background()
	b.pay(ctx, "p")
	_, second, _ := b.pay(ctx, "p")
	for _, c := range []struct {
		reference, key string
		status         int
		answer         string
	}{
		{second.Reference, "wrong", 401, ""},
		{"rail-77", "k3y", 404, ""},
		{second.Reference, "k3y", 200, "void-1"},
		{second.Reference, "k3y", 200, "void-1"},
	} {
		if status, a, err := b.void(ctx, c.reference, c.key); status != c.status || a.Reference != c.answer || err != nil {
			t.Errorf("%+v: %d %+v %v", c, status, a, err)
		}
	}
	if got := fmt.Sprint(b.voided()); got != "[rail-2 p]" {
		t.Error(got)
	}
	b.rail.Push(time.Second)
	s := b.statement()
	if len(s.Payments) != 2 || len(s.Voids) != 1 || s.Voids[0].Voids != "rail-2" || s.Voids[0].Amount != 5 || len(s.Standing()) != 0 {
		t.Errorf("%+v", s)
	}
	if later := (&rail.Statement{Payments: s.Payments}).Standing(); len(later) != 1 || later[0].Reference != "rail-2" {
		t.Errorf("before the void was shown: %+v", later)
	}
}

func TestAVoidGetsLostAsAPaymentDoes(t *testing.T) {
	for _, c := range []struct {
		directive string
		status    int // 0: the caller gave up
		voided    bool
	}{
		{"timeout", 0, false},
		{"late 40ms", 0, true},
		{"execute-then-5xx", 500, true},
		{"decline", 422, false},
	} {
		b := reversible(t)
		_, p, _ := b.pay(context.Background(), "p")
		b.rail.Direct(rail.DirectiveName, c.directive)
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		status, _, _ := b.void(ctx, p.Reference, "k3y")
		cancel()
		time.Sleep(100 * time.Millisecond) // past every delay the rail allows itself
		if got := len(b.voided()) == 1; status != c.status || got != c.voided {
			t.Errorf("%s: %d, voided %v", c.directive, status, b.voided())
		}
	}
}

func TestAVoidOutlivesTheRailAndIsToldWhenItDiedTooSoon(t *testing.T) {
	b := reversible(t)
	_, p, _ := b.pay(context.Background(), "p")
	record, _ := json.Marshal(rail.Void{Voids: p.Reference,
		Payment: rail.Payment{Memo: "p", Account: "a", Amount: 5, Reference: "void-1", ClockMs: p.ClockMs + 5000}})
	_ = b.rail.File("rail-book").Append(record)
	for range 2 {
		b.rail = b.rail.Restarted()
		b.serve()
	}
	if got := fmt.Sprint(b.voided()); got != "[rail-1 precovered]" {
		t.Error(got)
	}
	if _, after, _ := b.pay(context.Background(), "q"); after.Reference != "rail-2" || after.ClockMs <= p.ClockMs+5000 {
		t.Errorf("the clock fell behind the book: %+v", after)
	}
}

func TestWhatStandsTwiceInAStatement(t *testing.T) {
	pay := func(refs ...string) (list []rail.Payment) {
		for _, r := range refs {
			list = append(list, rail.Payment{Memo: r[:1], Reference: r})
		}
		return list
	}
	for _, c := range []struct {
		what     string
		payments []rail.Payment
		voids    []string
		want     string
	}{
		{"one each", pay("p1", "q1"), nil, ""},
		{"the later of two", pay("p1", "q1", "p2"), nil, "p2 "},
		{"all but the first of three", pay("p1", "p2", "p3"), nil, "p2 p3 "},
		{"what is voided does not stand", pay("p1", "p2", "p3"), []string{"p2"}, "p3 "},
		{"where the first was voided the second is the first", pay("p1", "p2"), []string{"p1"}, ""},
	} {
		s := rail.Statement{Payments: c.payments}
		for _, v := range c.voids {
			s.Voids = append(s.Voids, rail.Void{Voids: v})
		}
		got := ""
		for _, p := range s.Standing() {
			got += p.Reference + " "
		}
		if got != c.want {
			t.Errorf("%s: %q", c.what, got)
		}
	}
}
