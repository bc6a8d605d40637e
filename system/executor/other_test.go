package executor

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"dlsim/sim/testhost"
	"dlsim/system/config"
	"dlsim/system/lock"
	"dlsim/system/paydb"
	"dlsim/system/proxy"
	"dlsim/system/wire"
)

func ids(found []paydb.Payout) string {
	var all []string
	for _, p := range found {
		all = append(all, p.ID)
	}
	return strings.Join(all, " ")
}

// A payout whose insert commits after one with a higher id was seen is never found (field report F31).
func TestACursorStepsOverWhatCommitsLate(t *testing.T) {
	look := func(rows ...string) testhost.Step {
		s := testhost.Step{SQL: "IN ('PENDING', 'CLAIMED') ORDER BY"}
		for _, id := range rows {
			s.Rows = append(s.Rows, []any{id, "a-1", 7})
		}
		return s
	}
	db := testhost.NewScript(t, look("p-1", "p-3"), look("p-1", "p-2", "p-3", "p-4"), look("p-2", "p-4"))
	c := &cursor{db: paydb.NewStore(db, config.Paydb{})}
	for i, want := range []string{"p-1 p-3", "p-1 p-3 p-4", "p-4"} {
		if found, err := c.find(context.Background(), nil); ids(found) != want || err != nil {
			t.Errorf("look %d: %s, %v, want %s", i+1, ids(found), err, want)
		}
	}
}

func TestAClaimFromAReplicaTakesItsWord(t *testing.T) {
	down := errors.New("down")
	shows := func(state string) testhost.Step {
		return testhost.Step{SQL: "FROM payout", Rows: [][]any{{"a-1", 7, state}}}
	}
	byID := testhost.Step{SQL: "fence = $2 WHERE payout_id = $1", Affected: 1}
	for _, c := range []struct {
		what    string
		replica testhost.Step
		primary []testhost.Step
		before  bool
		fate    paydb.Fate
	}{
		{"pending there", shows(paydb.Pending), []testhost.Step{byID}, false, paydb.Done},
		{"claimed there", shows(paydb.Claimed), []testhost.Step{byID}, true, paydb.Done},
		{"posted there", shows(paydb.Posted), nil, false, paydb.Undone},
		{"no answer", testhost.Step{SQL: "FROM payout", Err: down}, nil, false, paydb.Undone},
	} {
		store := func(steps ...testhost.Step) *paydb.Store {
			return paydb.NewStore(testhost.NewScript(t, steps...), config.Paydb{})
		}
		before, fate, err := replicaClaim{store(c.primary...), store(c.replica)}.Claim(context.Background(), "p-1", 5)
		if before != c.before || fate != c.fate || (err == nil) != (fate == paydb.Done) {
			t.Errorf("%s: before %v, fate %d, %v", c.what, before, fate, err)
		}
	}
}

func TestTheSelfGuardedMakesBothChecksBeforeItCalls(t *testing.T) {
	mark := func(n int) testhost.Step {
		return testhost.Step{SQL: "FROM rail_high_water", Rows: [][]any{{n}}}
	}
	for _, c := range []struct {
		what  string
		steps []testhost.Step
		err   error
		calls []string
	}{
		{"nothing stands against it", []testhost.Step{mark(4), {SQL: "FROM rail_submission"}}, nil, []string{"POST"}},
		{"a mark that is not below", []testhost.Step{mark(5)}, paydb.ErrFencedOut, nil},
		{"a submission", []testhost.Step{mark(4), {SQL: "FROM rail_submission", Rows: [][]any{{4, "INTENT", ""}}}}, paydb.ErrDuplicate, nil},
		{"no database", []testhost.Step{{SQL: "FROM rail_high_water", Err: errors.New("down")}}, proxy.ErrUnavailable, nil},
	} {
		w := start(t, c.steps...)
		w.submit = state(paydb.Accepted)
		_, err := w.executor.doorOf(config.GuardExecutor).Submit(context.Background(), paydb.Payout{ID: "p-1", Account: "a-1", Amount: 7}, 5)
		if !errors.Is(err, c.err) || (err == nil) != (c.err == nil) || !slices.Equal(w.calls, c.calls) {
			t.Errorf("%s: %v, calls %v", c.what, err, w.calls)
		}
	}
}

func TestWithoutACountdownALeaseNeverEnds(t *testing.T) {
	over := &lock.Lease{}
	if countdownOf(config.CountdownOff)(over) <= 0 {
		t.Error("it ended")
	}
}

func TestAnEarlyReleaseLeavesWhileTheSubmissionIsUnderWay(t *testing.T) {
	w := start(t, slices.Concat(claim(paydb.Pending), post)...)
	_ = w.net.Host("proxy-1").Serve(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		for range 200 { // until the lock is back
			if slices.Contains(w.net.Ops(), "ok lock.release") {
				wire.Reply(rw, http.StatusOK, state(paydb.Accepted).body)
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
		wire.Refuse(rw, http.StatusInternalServerError, "HELD")
	}))
	w.executor.send = sendingOf(config.GiveBackEarly)
	if w.executor.look(context.Background()); !slices.Contains(w.net.Ops(), "ok payout.submit") {
		t.Error(w.net.Ops())
	}
}

func TestARenewalForEverGoesOnWithoutItsWork(t *testing.T) {
	w := start(t)
	w.executor.cfg.Lock.TTL = 30 * time.Millisecond
	ctx, cancel := context.WithCancel(context.Background())
	lease, err := w.executor.locks.Acquire(ctx, "a-1")
	if err != nil {
		t.Fatal(err)
	}
	w.executor.cfg.Executor.Renewal = config.RenewForever
	w.executor.tendingOf()(ctx, lease)
	for range 200 {
		if n := len(w.net.Events()); n >= 6 { // the grant and two renewals
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	cancel()
	ops := w.net.Ops()
	if n := len(slices.DeleteFunc(ops, func(op string) bool { return op != "ok lock.renew" })); n < 2 {
		t.Errorf("renewed %d times", n)
	}
}

func TestWhatALockIsForAndWhoseTheOtherAccountIs(t *testing.T) {
	p := paydb.Payout{ID: "payout-3", Account: "account-3"}
	for scope, want := range map[string]string{config.LockAccount: "account-3", config.LockAccountAndRail: "account-3.rail-1"} {
		if got := keyOf(scope)(p); got != want {
			t.Errorf("%s: %s", scope, got)
		}
	}
	if got := counterpart(p); got != "account-4" {
		t.Error(got)
	}
}

func TestTheOperationsWithoutARail(t *testing.T) {
	withdraw := []testhost.Step{{SQL: "begin"}, {SQL: "state = 'PENDING'", Affected: 1}, {SQL: "balance_minor >= $2", Affected: 1},
		{SQL: "ledger_entry", Affected: 2}, {SQL: "commit"}}
	for operation, calls := range map[string]string{
		config.OperateBalance:         "",
		config.OperateBalanceLocked:   "account-4/acquire account-4/release",
		config.OperateTransfer:        "account-4/acquire account-3/acquire account-3/release account-4/release",
		config.OperateTransferOrdered: "account-3/acquire account-4/acquire account-4/release account-3/release",
	} {
		w := start(t, withdraw...)
		wait, held := operationOf(operation)(w.executor, context.Background(), paydb.Payout{ID: "p-1", Account: "account-4", Amount: 7})
		if got := strings.Join(w.calls, " "); wait != 0 || held || got != calls {
			t.Errorf("%s: wait %v, held %v, calls %s", operation, wait, held, got)
		}
	}
}
