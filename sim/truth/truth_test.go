package truth_test

import (
	"testing"
	"time"

	"dlsim/history"
	"dlsim/sim/truth"
)

var columns = map[string][]string{
	"payout":          {"payout_id", "account_id", "amount_minor", "state", "fence"},
	"account":         {"account_id", "balance_minor", "fence"},
	"ledger_entry":    {"payout_id", "account_id", "direction", "amount_minor", "token"},
	"rail_high_water": {"account_id", "token"},
	"rail_submission": {"payout_id", "account_id", "token", "amount_minor", "state", "rail_reference", "first_seen_rail_ms"},
	"lock_grant":      {"lock_key", "owner", "token", "ttl_ms", "expires_at"},
}

func i(n int) any { return int64(n) }

func at(s int64) any { return time.Unix(s, 0) }

func TestEachRowBecomesTheEventThatItIs(t *testing.T) {
	row := func(v ...any) []any { return v }
	truthful := func(e history.Event) history.Event {
		e.Process, e.Kind, e.Truth, e.Tx, e.Clock = "db", history.OK, true, 3, 44
		return e
	}
	const second = int64(time.Second)
	for _, c := range []struct {
		what, table string
		old, new    []any
		lost        bool
		want        history.Event
	}{
		{"a payout enters", "payout", nil, row("p", "a", i(7), "PENDING", i(0)), false,
			history.Event{Op: history.PayoutWritten, Payout: "p", Account: "a", Amount: 7, State: "PENDING"}},
		{"a payout is claimed", "payout", row("p", "a", i(7), "PENDING", i(0)), row("p", "a", i(7), "CLAIMED", i(5)), false,
			history.Event{Op: history.PayoutWritten, Payout: "p", Account: "a", Amount: 7, State: "CLAIMED", PriorState: "PENDING", Token: 5}},
		{"a claim is forgotten", "payout", row("p", "a", i(7), "CLAIMED", i(5)), row("p", "a", i(7), "PENDING", i(0)), true,
			history.Event{Op: history.PayoutWritten, Payout: "p", Account: "a", Amount: 7, State: "PENDING", PriorState: "CLAIMED", PriorToken: 5, Note: history.Lost}},
		{"a payout vanishes", "payout", row("p", "a", i(7), "PENDING", i(0)), nil, true,
			history.Event{Op: history.PayoutWritten, Payout: "p", Account: "a", Amount: 7, PriorState: "PENDING", Note: history.Lost}},
		{"a balance changes", "account", row("a", i(100), i(4)), row("a", i(93), i(5)), false,
			history.Event{Op: history.AccountWritten, Account: "a", Amount: 93, PriorMoney: 100, Token: 5, PriorToken: 4}},
		{"an entry is booked", "ledger_entry", nil, row("p", "a", "DEBIT", i(7), i(5)), false,
			history.Event{Op: history.LedgerWritten, Payout: "p", Account: "a", State: "DEBIT", Amount: 7, Token: 5}},
		{"an entry is taken away", "ledger_entry", row("p", "a", "DEBIT", i(7), i(5)), nil, false,
			history.Event{Op: history.LedgerWritten, Payout: "p", Account: "a", State: "DEBIT", Amount: 7, Token: 5, Note: "deleted"}},
		{"the mark advances", "rail_high_water", row("a", i(4)), row("a", i(5)), false,
			history.Event{Op: history.MarkWritten, Account: "a", Token: 5, PriorToken: 4}},
		{"the mark vanishes", "rail_high_water", row("a", i(4)), nil, false,
			history.Event{Op: history.MarkWritten, Account: "a", PriorToken: 4, Note: "mark deleted"}},
		{"the mark steps back", "rail_high_water", row("a", i(5)), row("a", i(4)), true,
			history.Event{Op: history.MarkWritten, Account: "a", Token: 4, PriorToken: 5, Note: history.Lost}},
		{"an intent", "rail_submission", nil, row("p", "a", i(5), i(7), "INTENT", "", nil), false,
			history.Event{Op: history.SubmissionWritten, Payout: "p", Account: "a", Token: 5, Amount: 7, State: "INTENT"}},
		{"an outcome", "rail_submission", row("p", "a", i(5), i(7), "INTENT", "", nil), row("p", "a", i(5), i(7), "ACCEPTED", "rail-1", i(9)), false,
			history.Event{Op: history.SubmissionWritten, Payout: "p", Account: "a", Token: 5, PriorToken: 5, Amount: 7, State: "ACCEPTED", PriorState: "INTENT", Reference: "rail-1"}},
		{"a submission is deleted", "rail_submission", row("p", "a", i(5), i(7), "INTENT", "", nil), nil, false,
			history.Event{Op: history.SubmissionWritten, Payout: "p", Account: "a", PriorToken: 5, Amount: 7, PriorState: "INTENT"}},
		{"a first grant", "lock_grant", nil, row("a", "x", i(1), i(5000), at(9)), false,
			history.Event{Op: history.LockGranted, Account: "a", Owner: "x", Token: 1, Expires: 9 * second}},
		{"a grant of a free lock", "lock_grant", row("a", "", i(1), i(5000), at(9)), row("a", "y", i(2), i(5000), at(12)), false,
			history.Event{Op: history.LockGranted, Account: "a", Owner: "y", Token: 2, PriorToken: 1, Expires: 12 * second}},
		{"a grant over an expired one", "lock_grant", row("a", "x", i(1), i(5000), at(9)), row("a", "x", i(2), i(5000), at(12)), false,
			history.Event{Op: history.LockGranted, Account: "a", Owner: "x", Token: 2, PriorToken: 1, Expires: 12 * second}},
		{"a renewal", "lock_grant", row("a", "x", i(1), i(5000), at(9)), row("a", "x", i(1), i(5000), at(12)), false,
			history.Event{Op: history.LockRenewed, Account: "a", Owner: "x", Token: 1, Expires: 12 * second}},
		{"a release", "lock_grant", row("a", "x", i(1), i(5000), at(9)), row("a", "", i(1), i(5000), at(8)), false,
			history.Event{Op: history.LockReleased, Account: "a", Owner: "x", Token: 1}},
		{"a lock row is deleted", "lock_grant", row("a", "x", i(1), i(5000), at(9)), nil, false,
			history.Event{Op: history.LockReleased, Account: "a", Owner: "x", Token: 1}},
		{"a grant is forgotten", "lock_grant", row("a", "y", i(2), i(5000), at(12)), row("a", "x", i(1), i(5000), at(9)), true,
			history.Event{Op: history.LockGranted, Account: "a", Owner: "x", Token: 1, PriorToken: 2, Expires: 9 * second, Note: history.Lost}},
		{"the first grant is forgotten", "lock_grant", row("a", "x", i(1), i(5000), at(9)), nil, true,
			history.Event{Op: history.LockReleased, Account: "a", Owner: "x", Token: 1, Note: history.Lost}},
	} {
		change := truth.RowChange{Store: "db", Table: c.table, Columns: columns[c.table], Old: c.old, New: c.new, Tx: 3, Clock: 44}
		appender := truth.Append
		if c.lost {
			appender = truth.AppendLost
		}
		got := appender(nil, &change)
		if len(got) != 1 || got[0] != truthful(c.want) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", c.what, got, truthful(c.want))
		}
	}
}

func TestATableThatNobodyJudgesIsSilent(t *testing.T) {
	if got := truth.Append(nil, &truth.RowChange{Table: "audit", New: []any{}}); got != nil {
		t.Error(got)
	}
}

func TestAnEventCostsNoAllocationButItsPlace(t *testing.T) {
	dst := make([]history.Event, 0, 1)
	c := truth.RowChange{Store: "db", Table: "payout", Columns: columns["payout"], New: []any{"p", "a", i(7), "PENDING", i(1000)}}
	if n := testing.AllocsPerRun(100, func() { dst = truth.Append(dst[:0], &c) }); n != 0 {
		t.Error(n, "allocations")
	}
}

func TestALocksKeyInEtcdBecomesItsGrantAndItsEnd(t *testing.T) {
	base := truth.KeyChange{Store: "etcd", Key: "/locks/a", Owner: "x", Revision: 8, Token: 8, Prior: 5, Clock: 10, Expires: 20}
	for act, want := range map[truth.KeyAct]history.Event{
		truth.KeyPut:     {Op: history.LockGranted, PriorToken: 5, Expires: 20},
		truth.KeyRenewed: {Op: history.LockRenewed, Expires: 20},
		truth.KeyDeleted: {Op: history.LockReleased},
		truth.KeyExpired: {Op: history.LockExpired},
	} {
		for _, lost := range []bool{false, true} {
			c := base
			c.Act = act
			want.Process, want.Kind, want.Truth, want.Account, want.Owner = "etcd", history.OK, true, "a", "x"
			want.Token, want.Tx, want.Clock = 8, 8, 10
			got := truth.AppendKey(nil, &c, "/locks/")
			if lost {
				want.Note = history.Lost
				got = truth.AppendKeyLost(nil, &c, "/locks/")
			}
			if len(got) != 1 || got[0] != want {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		}
	}
	base.Key, base.Act = "/other/a", truth.KeyPut
	if got := truth.AppendKey(nil, &base, "/locks/"); got != nil {
		t.Error(got)
	}
}
