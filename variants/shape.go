package variants

// shape are the rows about what is done at all, and about rails that can do more.
var shape = []Variant{
	{
		Name: "bare-balance-update", Title: "the protected operation is one conditional UPDATE, without a lock", Rule: "ADR-004 A4.4",
		Switch: []string{"executor.operation=balance"}, Plan: trouble, Needs: "any",
		Holds: []string{"INV-03"}, Waived: []string{"INV-01", "INV-04", "INV-05", "INV-06", "INV-07"}, Never: []string{"INV-02"}, Seeds: 200,
		Uncontrolled: "nothing is wrong with it; it only has no side effect to protect",
		Design:       "a payout moves money that no ROLLBACK brings back, so there is something for a lock and a fence to do.",
	},
	{
		Name: "bare-balance-update-locked", Title: "the same under a lock", Rule: "ADR-004 A4.4",
		Switch: []string{"executor.operation=balance-locked"}, Plan: trouble, Needs: "any",
		Holds: []string{"INV-01", "INV-03"}, Waived: []string{"INV-04", "INV-05", "INV-06", "INV-07"}, Never: []string{"INV-02"}, Seeds: 200,
		Uncontrolled: "nothing is wrong with it; the lock costs its round trips and its own outages, and buys nothing",
		Design:       "a payout moves money that no ROLLBACK brings back, so there is something for a lock and a fence to do.",
	},
	{
		Name: "two-account-transfer", Title: "two locks, taken in whatever order the accounts come", Rule: "ADR-004 A4.4",
		Switch: []string{"executor.operation=transfer"}, Against: []string{"executor.operation=transfer-ordered"},
		Plan: busyAccounts, Needs: "race",
		Found: []string{"waits-for-cycle"}, Waived: []string{"INV-03", "INV-04", "INV-05", "INV-06", "INV-07"}, Seeds: 50,
		Design: "locks are taken in the order of their keys, so that no two holders can wait for each other.",
	},
	{
		Name: "idempotent-rail", Title: "the rail pays a memo once, and nothing guards it", Rule: "ADR-004 A4.4",
		Switch: []string{"rail.accepts=once", "rail.proxy.fencing.enabled=false"}, Plan: trouble, Needs: "all",
		Holds: []string{"INV-01", "INV-02", "INV-03", "INV-06"}, Waived: []string{"INV-05", "INV-07"}, Never: []string{"INV-02"}, Seeds: 300,
		Uncontrolled: "nothing is wrong with it: with such a rail there is nothing left to fence",
		Design:       "this rail has no key, so the proxy stands in for it.",
	},
	{
		Name: "conditional-rail", Title: "the rail compares tokens, and nothing else guards it", Rule: "ADR-007 7.4",
		Switch: []string{"rail.accepts=above-token", "rail.proxy.fencing.enabled=false"}, Plan: twoSleepers, Needs: "two pauses, placed on events",
		Found: []string{"INV-02"}, Holds: []string{"INV-01", "INV-03", "INV-06"}, Waived: []string{"INV-05", "INV-07"}, Seeds: 300,
		Refuted:      "a rail that compares tokens was thought to hold INV-02 by itself; a stale first submission is accepted, and the newer holder's token is above it",
		Uncontrolled: "the rail itself is another one",
		Design:       "the proxy compares the token for a rail that cannot, and knows the payout besides.",
	},
	{
		Name: "conditional-rail-key-kept", Title: "the rail compares tokens, and the proxy keeps check 2", Rule: "ADR-007 7.5",
		Switch: []string{"rail.accepts=above-token", "rail.proxy.checks=duplicate"}, Plan: twoSleepers, Needs: "two pauses, placed on events",
		Holds: []string{"INV-01", "INV-02", "INV-03", "INV-04", "INV-06"}, Waived: []string{"INV-05", "INV-07"}, Never: []string{"INV-02"}, Seeds: 300,
		Uncontrolled: "the rail itself is another one",
		Design:       "the proxy compares the token for a rail that cannot.",
	},
	{
		Name: "reversible-rail", Title: "the rail can take payments back, and nothing guards it", Rule: "ADR-004 A4.5",
		Switch: []string{"rail.void=true", "rail.proxy.fencing.enabled=false"}, Plan: lossyVoids, Needs: "pause",
		Found: []string{"INV-02", "payment-voided"}, Holds: []string{"INV-01", "INV-03", "INV-04", "INV-06"}, Never: []string{"double-payment-standing"}, Waived: []string{"INV-05", "INV-07"}, Seeds: 200,
		Design: "the second payment is refused before it is made: nobody is paid twice for the time that a statement and a void take.",
	},
	{
		Name: "reversible-rail-void-lost", Title: "the same, and a void is asked for once", Rule: "ADR-004 A4.5",
		Switch: []string{"rail.void=true", "rail.proxy.fencing.enabled=false", "reconciler.compensation=once"}, Plan: lossyVoids, Needs: "pause; lost void",
		Found: []string{"double-payment-standing", "INV-02"}, Holds: []string{"INV-01", "INV-03", "INV-04", "INV-06"}, Waived: []string{"INV-05", "INV-07"}, Seeds: 200,
		Design: "the second payment is refused before it is made: no void has to arrive.",
	},
	{
		Name: "rail-inside-paydb", Title: "an append-only table counts as sent", Rule: "ADR-004 A4.4",
		Switch: []string{"rail.in=paydb"}, Plan: forgetfulPaydb, Needs: "abort, failover",
		Found: []string{"payment-vanished"}, Waived: []string{"INV-06", "INV-07"}, Seeds: 100,
		Design: "the rail is another party: what it has paid no ROLLBACK and no failover takes back.",
	},
	{
		Name: "second-rail-one-mark", Title: "a lock for each account and rail, and one mark for both", Rule: "ADR-007 7.5",
		Switch: []string{"lock.scope=account-and-rail"}, Plan: calmOnPostgres, Needs: "none",
		Found: []string{"holder-fenced-out"}, Holds: []string{"INV-02", "INV-05"}, Seeds: 20,
		Design: "lock, mark and account fence are for the same thing, and so their tokens have one order.",
	},
	{
		Name: "second-rail-two-marks", Title: "a lock for each account and rail, and a mark for each", Rule: "ADR-007 7.5",
		Switch: []string{"lock.scope=account-and-rail", "rail.proxy.mark.scope=account-and-rail"}, Plan: calmOnPostgres, Needs: "none",
		Holds: []string{"INV-02", "INV-03", "INV-04", "INV-06"}, Waived: []string{"INV-01", "INV-05", "INV-07"}, Never: []string{"holder-fenced-out"}, Seeds: 20,
		Uncontrolled: "it is the remedy of second-rail-one-mark",
		Design:       "there is one rail, and lock, mark and account fence are for the same thing.",
	},
	{
		Name: "admission-holds-the-claim", Title: "the admission also wants the submitter's claim to stand (question 2)", Rule: "ADR-007 7.5",
		Switch: []string{"rail.proxy.admission=claim"}, Plan: twoSleepers, Needs: "two pauses",
		Holds: []string{"INV-01", "INV-02", "INV-03", "INV-05", "INV-06", "INV-07"}, Never: []string{"duplicate-attempted", "superseded-claim"}, Seeds: 300,
		Uncontrolled: "it is the remedy; the design itself shows both, see questions 1 and 2",
		Design:       "only the mark is compared: a stale first submission passes when nobody newer has submitted yet.",
	},
	{
		Name: "full-design", Title: "nothing is switched", Rule: "ADR-004, ADR-007",
		Plan: trouble, Needs: "all within (a) to (c)",
		Holds: []string{"INV-01", "INV-02", "INV-03", "INV-05", "INV-06", "INV-07"}, Seeds: 1000,
		Uncontrolled: "it is the control",
		Design:       "it is the design.",
	},
}

const (
	// trouble is a little of everything that the design takes as given.
	trouble = `topology: {executors: 3, proxies: 2, lockds: 1}
workload: {accounts: 2, payouts: 12, spread: 3s}
random:
  on_events: 0.6
  pause: {rate: 2, targets: [executor, proxy]}
  kill: {rate: 1, targets: [executor, proxy]}
  cut: 0.5
  drop-reply: 0.5
  reset: 0.5
  database-crash: 0.3
  rail-late: 0.5
  rail-execute-then-5xx: 0.5
`
	// lossyVoids has holders sleep around their submission, and the rail silent when it is first asked
	// to take a payment back.
	lossyVoids = `topology: {executors: 3, proxies: 2, lockds: 1}
workload: {accounts: 2, payouts: 12, spread: 2s}
heal_by: 30s
bound: 90s
faults:
  - {kind: rail-timeout, target: rail, on: {event: reconcile.void, kind: invoke}, for: 3s}
random:
  on_events: 0.8
  pause: {rate: 3, targets: [executor]}
`
	busyAccounts = `topology: {executors: 4, proxies: 1, lockds: 1}
workload: {accounts: 2, payouts: 24, spread: 1s}
`
)
