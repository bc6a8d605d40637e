package live

import (
	"testing"
	"time"

	"dlsim/history"
	"dlsim/sim"
	"dlsim/sim/live/control"
)

// following is a world that keeps to a course, and a way to record an event in it that says whether
// whoever recorded it has to wait.
func following(t *testing.T, its []history.Event) (w *World, at func(history.Event) (waits bool)) {
	t.Helper()
	for i := range its {
		its[i].ID = int64(i + 1)
	}
	w = &World{begun: time.Now(), running: true, queue: newQueue()}
	w.keepTo(its)
	conn, theirs, err := control.Pair()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		theirs.Close()
	})
	p := &process{w: w, up: true, conn: conn}
	return w, func(e history.Event) bool {
		t.Helper()
		id := w.record(&e)
		return w.course.hold(heldBack{p: p, id: id, step: w.course.last, since: w.Elapsed()})
	}
}

func doing(process string, op history.Op, kind history.Kind, token int64) history.Event {
	return history.Event{Process: process, Op: op, Kind: kind, Account: "a", Payout: "p", Token: token}
}

func written(token int64) history.Event {
	return history.Event{Process: sim.Paydb, Op: history.SubmissionWritten, Kind: history.OK, Truth: true, Account: "a", Payout: "p", Token: token}
}

func TestAProcessWaitsForWhatCameBeforeItsStepTookEffect(t *testing.T) {
	claim, admit := history.PayoutClaim, history.ProxyAdmit
	w, at := following(t, []history.Event{
		doing("executor-1", claim, history.Invoke, 2), doing("executor-1", claim, history.OK, 2),
		doing("executor-2", claim, history.Invoke, 4), doing("executor-2", claim, history.OK, 4),
		doing("proxy-1", admit, history.Invoke, 2), doing("proxy-1", admit, history.Invoke, 4),
		written(4), doing("proxy-1", admit, history.OK, 4), written(2),
	})
	// Tokens are others here, and so is the proxy that is asked.
	for _, e := range []history.Event{
		doing("executor-1", claim, history.Invoke, 30), doing("executor-1", claim, history.OK, 30),
		doing("executor-2", claim, history.Invoke, 50), doing("executor-2", claim, history.OK, 50),
	} {
		if at(e) {
			t.Errorf("%s waits at its %s with nothing before it", e.Process, e.Op)
		}
	}
	if !at(doing("proxy-2", admit, history.Invoke, 30)) {
		t.Error("the first admission goes on, which took effect after the second")
	}
	if at(doing("proxy-2", admit, history.Invoke, 50)) {
		t.Error("the second admission waits, before which nothing took effect")
	}
	at(written(50))
	if len(w.course.held) != 1 {
		t.Error("the first admission goes on before the second was answered")
	}
	at(doing("proxy-2", admit, history.OK, 50))
	if len(w.course.held) != 0 {
		t.Error("the first admission waits although the second is over")
	}
}

func TestAQuestionThatWasAnsweredNoneIsAskedBeforeWhatWasWrittenMeanwhile(t *testing.T) {
	ask := doing("executor-2", history.SubmissionAsk, history.Invoke, 4)
	none := doing("executor-2", history.SubmissionAsk, history.OK, 4)
	none.State, none.Call = "NONE", 2
	claim := doing("executor-2", history.PayoutClaim, history.Invoke, 4)
	admit := doing("proxy-1", history.ProxyAdmit, history.Invoke, 0)
	_, at := following(t, []history.Event{claim, ask, admit, written(0), none})
	at(claim)
	if !at(admit) {
		t.Error("the admission goes on before the question that did not see it")
	}
	if at(ask) {
		t.Error("the question waits for what it did not see")
	}
}

// A proxy serves several accounts, and a crash of it strikes them all.
func TestAProcessKeepsTheOrderOfItsOwnStepsAcrossAccounts(t *testing.T) {
	of := func(account string, e history.Event) history.Event {
		e.Account, e.Payout = account, "p of "+account
		return e
	}
	forward := doing("proxy-1", history.RailForward, history.Invoke, 0)
	claim := doing("executor-1", history.PayoutClaim, history.OK, 0)
	_, at := following(t, []history.Event{of("a", claim), of("b", forward), of("c", forward)})
	if !at(of("c", forward)) {
		t.Error("the second forward goes on before the first")
	}
	if at(of("b", forward)) {
		t.Error("the first forward waits for another process's step about another account")
	}
}

func TestWhoeverWasKilledIsNotLetGo(t *testing.T) {
	first, second := doing("proxy-1", history.RailForward, history.OK, 0), doing("executor-1", history.PayoutPost, history.Invoke, 0)
	w, at := following(t, []history.Event{first, second})
	if !at(second) {
		t.Fatal("it does not wait")
	}
	w.course.held[0].p.up = false
	w.course.look()
	if len(w.course.held) != 0 {
		t.Error("it is waited for")
	}
}

func TestWhatDoesNotComeIsNotWaitedForLong(t *testing.T) {
	first, second := doing("proxy-1", history.RailForward, history.OK, 0), doing("executor-1", history.PayoutPost, history.Invoke, 0)
	long := second
	long.Time, long.Op = int64(time.Hour), history.PayoutMark
	w, at := following(t, []history.Event{first, second, long})
	if !at(second) {
		t.Fatal("it does not wait")
	}
	if at(long) {
		t.Error("it waits for what was long ago")
	}
	w.course.look()
	if len(w.course.held) != 1 {
		t.Error("it did not wait at all")
	}
	w.begun = w.begun.Add(-2 * heldAtMost)
	w.course.look()
	if len(w.course.held) != 0 {
		t.Error("it waits for ever")
	}
}
