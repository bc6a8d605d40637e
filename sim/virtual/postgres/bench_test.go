package postgres

import (
	"testing"
	"time"
)

const benchSchema = `
create table account (account_id text primary key, balance_minor bigint not null, fence bigint not null default 0);
create table payout (payout_id text primary key, account_id text not null, amount_minor bigint not null, state text not null, fence bigint not null default 0);
create table ledger_entry (payout_id text, account_id text, direction text, amount_minor bigint not null, token bigint not null,
	primary key (payout_id, account_id, direction));`

func benchSession(b *testing.B) *Session {
	srv := NewServer(&still{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()}, Options{})
	if err := srv.Script(benchSchema); err != nil {
		b.Fatal(err)
	}
	s := must(srv.Connect())
	for i := range int64(50) {
		id := "account-" + formatValue(i)
		must(s.Exec(`insert into account (account_id, balance_minor) values ($1, $2)`, []any{id, int64(1000)}))
		must(s.Exec(`insert into payout (payout_id, account_id, amount_minor, state) values ($1, $2, $3, $4)`, []any{"payout-" + formatValue(i), id, int64(10), "PENDING"}))
	}
	b.ReportAllocs()
	b.ResetTimer()
	return s
}

func BenchmarkSelectByPrimaryKey(b *testing.B) {
	s := benchSession(b)
	args := []any{"payout-7"}
	for b.Loop() {
		if _, err := s.Exec(`select account_id, amount_minor, state, fence from payout where payout_id = $1`, args); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkUpdateByPrimaryKey(b *testing.B) {
	s := benchSession(b)
	args := []any{"payout-7", int64(5)}
	for b.Loop() {
		if _, err := s.Exec(`update payout set state = 'CLAIMED', fence = $2 where payout_id = $1 and fence <= $2 and state in ('PENDING', 'CLAIMED')`, args); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkInsert(b *testing.B) {
	s := benchSession(b)
	n := int64(0)
	for b.Loop() {
		n++
		if _, err := s.Exec(`insert into ledger_entry (payout_id, account_id, direction, amount_minor, token) values ($1, $2, $3, $4, $5)`,
			[]any{"payout", "account", "D", int64(5), n}); err == nil && n > 1 {
			b.Fatal("twice the same key")
		}
	}
}

func BenchmarkInsertDelete(b *testing.B) {
	s := benchSession(b)
	in := []any{"payout", "account", "D", int64(5), int64(9)}
	out := []any{"payout", "account", "D"}
	for b.Loop() {
		if _, err := s.Exec(`insert into ledger_entry (payout_id, account_id, direction, amount_minor, token) values ($1, $2, $3, $4, $5)`, in); err != nil {
			b.Fatal(err)
		}
		if _, err := s.Exec(`delete from ledger_entry where payout_id = $1 and account_id = $2 and direction = $3`, out); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScan50Rows(b *testing.B) {
	s := benchSession(b)
	for b.Loop() {
		if _, err := s.Exec(`select payout_id from payout where state = 'CLAIMED' order by payout_id`, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBlock(b *testing.B) {
	s := benchSession(b)
	args := []any{"account-3", int64(1)}
	for b.Loop() {
		for _, sql := range []string{"begin", "", "commit"} {
			a := args
			if sql != "" {
				a = nil
			} else {
				sql = `update account set balance_minor = balance_minor - $2 where account_id = $1`
			}
			if _, err := s.Exec(sql, a); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkNewServerWithKnownSchema(b *testing.B) {
	c := NewCatalog()
	b.ReportAllocs()
	for b.Loop() {
		srv := NewServer(&still{}, Options{Catalog: c})
		if err := srv.Script(benchSchema); err != nil {
			b.Fatal(err)
		}
	}
}
