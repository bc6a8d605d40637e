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

// rotating starts a rail whose credential can be rotated.
func rotating(t *testing.T) *bench {
	b := newBench(t)
	b.rotating = true
	b.serve()
	return b
}

// under sends one request with the credential of an epoch.
func (b *bench) under(epoch int64, method, path string, body, answer any) int {
	b.t.Helper()
	status, err := b.wire.Do(context.Background(), wire.Call{Method: method, Base: "http://rail", Path: path, Bearer: secret.In(epoch).Reveal(), Body: body}, answer)
	if err != nil {
		b.t.Fatal(err)
	}
	return status
}

func (b *bench) payUnder(epoch int64) int {
	return b.under(epoch, "POST", rail.PaymentsPath, &rail.Order{Memo: "p", Account: "a", Amount: 5}, &rail.Answer{})
}

func (b *bench) rotate(epoch int64) (int, rail.Epoch) {
	var e rail.Epoch
	return b.under(epoch, "POST", rail.CredentialPath, nil, &e), e
}

// current asks for the epoch.
func (b *bench) current() int64 {
	var e rail.Epoch
	if status := b.under(0, "GET", rail.CredentialPath, nil, &e); status != 200 {
		b.t.Error(status)
	}
	return e.Number
}

// rotated lists the rotations that the history was told of.
func (b *bench) rotated() (refs []string) {
	for _, e := range b.net.Events() {
		if e.Op == history.RailRotated {
			refs = append(refs, e.Reference+e.Note)
		}
	}
	return refs
}

func TestTheRailOfTheDesignHasOneCredential(t *testing.T) {
	b := start(t)
	if status, _ := b.rotate(0); status != 404 || b.payUnder(0) != 200 || b.rotated() != nil {
		t.Error(status, b.rotated())
	}
}

func TestARotationRefusesEveryOlderCredential(t *testing.T) {
	b := rotating(t)
	if b.current() != 0 || b.payUnder(0) != 200 {
		t.Error("before the first rotation the credential is the one that was given")
	}
	for epoch := range int64(2) {
		if status, e := b.rotate(epoch); status != 200 || e.Number != epoch+1 || e.ClockMs == 0 {
			t.Error(status, e)
		}
	}
	for epoch, want := range []int{401, 401, 200, 401} {
		if status := b.payUnder(int64(epoch)); status != want {
			t.Errorf("a payment under epoch %d: %d", epoch, status)
		}
		if status := b.under(int64(epoch), "GET", rail.StatementsPath, nil, &rail.Statement{}); status != want {
			t.Errorf("the statement under epoch %d: %d", epoch, status)
		}
	}
	if got := fmt.Sprint(b.paid(), b.rotated()); got != "[rail-1 p rail-2 p] [epoch-1 epoch-2]" {
		t.Error(got)
	}
	if status, _ := b.rotate(1); status != 401 || b.current() != 2 {
		t.Errorf("a rotation that comes late a second time: %d, epoch %d", status, b.current())
	}
}

func TestARotationOutlivesTheRail(t *testing.T) {
	b := rotating(t)
	_, first := b.rotate(0)
	b.rail = b.rail.Restarted()
	b.serve()
	if b.payUnder(0) != 401 || b.payUnder(1) != 200 {
		t.Error("the restart forgot the rotation")
	}
	record, _ := json.Marshal(rail.Epoch{Number: 2, ClockMs: first.ClockMs + 5000})
	_ = b.rail.File("rail-book").Append(record)
	for range 2 {
		b.rail = b.rail.Restarted()
		b.serve()
	}
	if got := fmt.Sprint(b.rotated()); got != "[epoch-1 epoch-2recovered]" || b.current() != 2 {
		t.Error(got, b.current())
	}
	if _, third := b.rotate(2); third.Number != 3 || third.ClockMs <= first.ClockMs+5000 {
		t.Errorf("the clock fell behind the book: %+v", third)
	}
}

func TestARotationGetsLostAsAPaymentDoesAndTheStatementTells(t *testing.T) {
	for _, c := range []struct {
		directive string
		status    int
		rotated   bool
	}{
		{"execute-then-5xx", 500, true},
		{"late 40ms", 200, true},
		{"decline", 422, false},
		{"timeout", 504, false},
	} {
		b := rotating(t)
		b.rail.Direct(rail.DirectiveName, c.directive)
		status, _ := b.rotate(0)
		epoch := b.current()
		var s rail.Statement
		b.under(epoch, "GET", rail.StatementsPath, nil, &s)
		if status != c.status || (epoch == 1) != c.rotated || len(s.Epochs) != int(epoch) {
			t.Errorf("%s: %d, epoch %d, %+v", c.directive, status, epoch, s)
		}
	}
}

// What a rotation cannot stop: the request was taken in before it.
func TestWhatTheRailHasTakenInItExecutesWhateverIsRotated(t *testing.T) {
	b := rotating(t)
	b.rail.Direct(rail.DirectiveName, "late 300ms payout=p")
	answered := make(chan int)
	go func() {
		status, _, _ := b.pay(context.Background(), "p")
		answered <- status
	}()
	for len(b.received()) == 0 {
		time.Sleep(time.Millisecond)
	}
	if status, _ := b.rotate(0); status != 200 || len(b.paid()) != 0 {
		t.Error(status, b.paid())
	}
	if status := <-answered; status != 200 || len(b.paid()) != 1 {
		t.Error(status, b.paid())
	}
}

func (b *bench) received() (memos []string) {
	for _, e := range b.net.Events() {
		if e.Op == history.RailReceived {
			memos = append(memos, e.Payout)
		}
	}
	return memos
}

func TestWhatAStatementSaysAboutRotations(t *testing.T) {
	s := rail.Statement{Epochs: []rail.Epoch{{1, 100}, {2, 200}}}
	for since, want := range map[int64]int64{1: 100, 100: 100, 101: 200, 200: 200, 201: 0} {
		if at, ok := s.Rotated(since); at != want || ok != (want > 0) {
			t.Errorf("since %d: %d %v", since, at, ok)
		}
	}
}
