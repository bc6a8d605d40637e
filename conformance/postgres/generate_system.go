package postgres

import (
	"fmt"
	"strings"

	"dlsim/system/lock"
	"dlsim/system/paydb"
)

var (
	paydbSQL  = oneLine(paydb.Statements())
	lockdbSQL = oneLine(lock.PostgresStatements())
)

func oneLine(statements map[string]string) map[string]string {
	out := map[string]string{}
	for name, text := range statements {
		out[name] = strings.Join(strings.Fields(text), " ")
	}
	return out
}

// payments are the system's own transactions on paydb, with payouts, accounts and tokens few
// enough to meet.
type payments struct{}

func (payments) payout(g *generator) string  { return pick(g, "p-1", "p-2", "p-3") }
func (payments) account(g *generator) string { return pick(g, "a-1", "a-2") }
func (payments) token(g *generator) int      { return 1 + g.r.Intn(5) }

func (payments) state(g *generator) string {
	return pick(g, "PENDING", "CLAIMED", "CLAIMED", "CLAIMED", "RAIL_AMBIGUOUS", "POSTED", "FAILED")
}

func (w payments) seeds(g *generator) []string {
	var out []string
	for _, a := range []string{"a-1", "a-2"} {
		if g.r.Intn(4) > 0 {
			out = append(out, fmt.Sprintf("insert into account values ('%s', %d, %d)", a, 1000, g.r.Intn(3)))
		}
		if g.r.Intn(2) > 0 {
			out = append(out, fmt.Sprintf("insert into rail_high_water values ('%s', %d)", a, w.token(g)))
		}
	}
	for _, p := range []string{"p-1", "p-2", "p-3"} {
		if g.r.Intn(5) > 0 {
			out = append(out, fmt.Sprintf("insert into payout values ('%s', '%s', %d, '%s', %d)", p, w.account(g), 5, w.state(g), g.r.Intn(4)))
		}
		if g.r.Intn(3) == 0 {
			out = append(out, fmt.Sprintf("insert into rail_submission (payout_id, account_id, token, amount_minor, state) values ('%s', '%s', %d, 5, '%s')",
				p, w.account(g), w.token(g), pick(g, "INTENT", "TIMEOUT", "ACCEPTED")))
		}
	}
	return out
}

// do is one of the system's statements.
func (payments) do(name string, args ...any) Step { return with(paydbSQL[name], args...) }

func (w payments) next(g *generator) []Step {
	p, a, n := w.payout(g), w.account(g), w.token(g)
	book := []Step{
		w.do("Ledger", p, a, paydb.ClearingAccount, 5, n),
		w.do("Debit", a, 5, n),
	}
	unfenced := pick(g, "", "", "", "Unfenced")
	switch g.r.Intn(22) {
	case 0, 1, 2:
		return g.block(w.do(pick(g, "AdvanceMark", "AdvanceMark", "AdvanceMarkOrEqual", "AdvanceMarkAsText"), a, n), w.do("Intent", p, a, n, 5))
	case 20:
		return g.block(w.do("ClaimHeld", p), w.do("ReadMark", a), w.do("SetMark", a, n), w.do("Intent", p, a, n, 5))
	case 21:
		return []Step{w.do("LedgerOnce", p, a, paydb.ClearingAccount, 5, n), w.do("PostUnfenced", p, n)}
	case 3:
		return g.block(w.do("SetMark", a, n), w.do("SetIntent", p, a, n, 5))
	case 4, 5:
		return g.block(w.do("LockPayout", p), w.do("Claim"+unfenced, p, n))
	case 6, 7:
		return g.block(append([]Step{w.do("Post", p, n)}, book...)...)
	case 8, 9:
		resolve := []Step{
			w.do("ResolvePayout", p, n, pick(g, "POSTED", "FAILED")),
			w.do("ResolveSubmission", p, w.token(g), pick(g, "ACCEPTED", "NOT_EXECUTED"), "r-1"),
		}
		if g.r.Intn(2) == 0 {
			resolve = append(resolve, book...)
		}
		return g.block(resolve...)
	case 10:
		return []Step{w.do("Outcome", p, n, pick(g, "ACCEPTED", "REJECTED", "TIMEOUT"), pick(g, "", "r-2"))}
	case 11:
		return []Step{w.do("Mark"+unfenced, p, n, pick(g, "FAILED", "RAIL_AMBIGUOUS", "NONSENSE"))}
	case 12:
		return []Step{w.do("Cancel", p)}
	case 13:
		return []Step{w.do("OpenAccount", a, 1000), w.do("Enter", p, a, pick(g, 5, 5, 0))}
	case 14:
		return []Step{w.do("Unresolved")}
	case 15:
		return []Step{w.do("FindWork"), w.do("Read", p)}
	case 16:
		return []Step{w.do("FirstSeen", p, n, 1000+n), w.do("Submission", p)}
	case 17: // transfers between two accounts, in either order
		b := w.account(g)
		return g.block(w.do("Debit", a, 5, n), w.do("Debit", b, -5, n))
	case 18:
		return []Step{w.do("Claim", p, n)}
	default:
		return []Step{w.do("AdvanceMark", a, n)}
	}
}

// grants are the lock service's statements on lockdb. Leases have run out at once or last: how
// long exactly is not what two clocks can agree on.
type grants struct{}

func (grants) seeds(g *generator) []string {
	var out []string
	for _, key := range []string{"k-1", "k-2"} {
		if g.r.Intn(3) > 0 {
			at := pick(g, "2001-01-01 00:00:00+00", "2099-01-01 00:00:00+00")
			out = append(out, fmt.Sprintf("insert into lock_grant values ('%s', '%s', %d, 3600000, '%s')", key, pick(g, "", "o-1", "o-2"), 1+g.r.Intn(3), at))
		}
	}
	return out
}

func (w grants) next(g *generator) []Step {
	key, owner, n := pick(g, "k-1", "k-1", "k-2"), pick(g, "o-1", "o-2", "o-3"), 1+g.r.Intn(4)
	acquire := with(lockdbSQL["Acquire"], key, owner, pick(g, 3600000, 3600000, 7200000, 0))
	touch := sql("update lock_grant set expires_at = '%s' where lock_key = '%s'", pick(g, "2001-01-01 00:00:00+00", "2099-01-01 00:00:00+00"), key)
	renew := with(lockdbSQL["Renew"], key, owner, n)
	release := with(lockdbSQL["Release"], key, owner, n)
	one := func() Step { return pick(g, acquire, acquire, renew, release, touch) }
	switch g.r.Intn(8) {
	case 0, 1:
		return g.block(one(), one())
	case 2:
		return g.block(one())
	case 3:
		return []Step{with(lockdbSQL["Holder"], key)}
	case 4:
		return []Step{sql("delete from lock_grant where lock_key = '%s' returning token", key)}
	default:
		return []Step{one()}
	}
}
