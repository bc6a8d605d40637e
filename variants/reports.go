package variants

// reports plant field reports that DESIGN 8 does not name, each as a switch with its control.
var reports = []Variant{
	{
		Name: "hop-retries-5xx", Title: "a hop in the middle repeats what was answered 503", Rule: "ADR-007 D4", Report: "F03", Breaks: "DS",
		Switch: []string{"rail.proxy.retry=on-5xx"}, Plan: lateRail, Needs: "rail executes, then answers 5xx",
		Found: []string{"INV-02"}, Seeds: 100,
		Design: "no layer repeats a payment, whatever the answer.",
	},
	{
		Name: "identity-per-attempt", Title: "a payment is known by payout and token", Rule: "ADR-007 D3", Report: "F04", Breaks: "DS",
		Switch: []string{"rail.proxy.checks=token"}, Plan: twoSleepers, Needs: "slow reply, then takeover",
		Found: []string{"INV-02"}, Holds: []string{"INV-05"}, Seeds: 300,
		Design: "the payout's id is the payment's identity, whoever sends it and under which token.",
	},
	{
		Name: "sweep-writes-by-id", Title: "stale claims are put back by id alone", Rule: "ADR-004 A4.2", Report: "F07", Breaks: "DS LI",
		Switch: []string{"reconciler.unresolved=by-id"}, Plan: hastySweep, Needs: "delay between look and write",
		Found: []string{"INV-04"}, Seeds: 300,
		Design: "the decision names the state and the token that it was made for, and finds no row when they have changed.",
	},
	{
		Name: "token-before-commit", Title: "a token is handed out before its grant is on disk", Rule: "DESIGN 2.1", Report: "F08", Breaks: "TM SW",
		Switch: []string{"lock.tokens=unflushed"}, Plan: crashingLockdb, Needs: "database crash",
		Found: []string{"INV-01/token-not-increasing"}, Holds: []string{"INV-02", "INV-05"}, Seeds: 300,
		Design: "the grant commits durably before its token is told.",
	},
	{
		Name: "silence-is-refusal", Title: "no statement is taken for not paid", Rule: "DESIGN 2.5", Report: "F11", Breaks: "DS LI",
		Switch: []string{"reconciler.unresolved=silence"}, Plan: deafReconciler, Needs: "cut between reconciler and proxies",
		Found: []string{"INV-04"}, Seeds: 300,
		Design: "without a statement nothing is decided; the next round asks again.",
	},
	{
		Name: "release-by-name", Title: "a release takes the lock from whoever holds it", Rule: "DESIGN 2.1", Report: "F17", Breaks: "MX",
		Switch: []string{"lock.release=by-name"}, Plan: sleepersOnPostgres, Needs: "pause longer than the lease",
		Found: []string{"released-by-another"}, Holds: []string{"INV-02", "INV-05"}, Seeds: 200,
		Design: "a release names its token and ends that grant only.",
	},
	{
		Name: "release-by-name-etcd", Title: "the same in etcd", Rule: "DESIGN 2.1", Report: "F17", Breaks: "MX",
		Switch: []string{"lock.release=by-name"}, Plan: sleepers, Needs: "pause longer than the lease",
		Found: []string{"released-by-another"}, Holds: []string{"INV-02", "INV-05"}, Seeds: 200,
		Design: "the key is deleted only at the revision of the grant.",
	},
	{
		Name: "no-countdown", Title: "only an answer of the lock service stops a holder", Rule: "DESIGN 2.1", Report: "F18", Breaks: "MX",
		Switch: []string{"executor.countdown=\"off\""}, Plan: sleepersAfterClaim, Needs: "pause or cut longer than the lease",
		Found: []string{"lease-overrun"}, Holds: []string{"INV-02", "INV-05"}, Seeds: 300,
		Design: "a holder counts its lease down by itself and stops in time.",
	},
	{
		Name: "released-at-send", Title: "the lock is given back while the submission is under way", Rule: "DESIGN 2.3", Report: "F19", Breaks: "MX DS",
		Switch: []string{"executor.give_back=at-send"}, Plan: calm, Needs: "none",
		Found: []string{"superseded-claim"}, Holds: []string{"INV-02", "INV-05"}, Seeds: 50,
		Design: "the lock is released when the work under it has ended.",
	},
	{
		Name: "driver-repeats-write", Title: "an unanswered debit is sent again", Rule: "ADR-004 A4.2", Report: "F20", Breaks: "LI",
		Switch: []string{"paydb.posting=retried"}, Plan: lostPaydbAnswers, Needs: "reset after execution",
		Found: []string{"INV-03"}, Seeds: 300,
		Design: "a write whose outcome is unknown is not repeated blindly: the fence lets the second one find no row.",
	},
	{
		Name: "check-then-book", Title: "executor and reconciler both book what they read as open", Rule: "ADR-004 A4.2", Report: "F23", Breaks: "LI",
		Switch: []string{"paydb.posting=check-then-book"}, Plan: twoBookers, Needs: "delay between look and booking",
		Found: []string{"INV-03"}, Seeds: 300,
		Design: "the conditional flip comes first, and only who flips the row books.",
	},
	{
		Name: "claim-from-replica", Title: "the next holder looks at a replica and claims by id", Rule: "ADR-007 7.2 (iii)", Report: "F24", Breaks: "DS LI",
		Switch: []string{"executor.claim=replica"}, Plan: calmWithStandby, Needs: "replica lag",
		Found: []string{"INV-04"}, Holds: []string{"INV-02"}, Seeds: 100,
		Design: "the claim itself is conditional, on the primary.",
	},
	{
		Name: "renewal-outlives-work", Title: "a renewal that nobody ends", Rule: "DESIGN 2.1", Report: "F30", Breaks: "LP",
		Switch: []string{"executor.renewal=for-ever"}, Plan: lostReleases, Needs: "lost release",
		Found: []string{"INV-04/stuck"}, Holds: []string{"INV-02", "INV-05"}, Seeds: 300,
		Design: "a lease is renewed by the work that needs it, and by nothing else.",
	},
	{
		Name: "cursor-skips", Title: "work is found by a cursor over ids", Rule: "DESIGN 2.3", Report: "F31", Breaks: "LP",
		Switch: []string{"executor.work=by-cursor"}, Plan: calm, Needs: "none",
		Found: []string{"INV-04/stuck"}, Holds: []string{"INV-02", "INV-05"}, Seeds: 50,
		Design: "work is found by state, so that what commits late is found late.",
	},
	{
		Name: "token-as-text", Title: "tokens are compared digit by digit", Rule: "ADR-007 D3", Report: "F32", Breaks: "LP SW",
		Switch: []string{"rail.proxy.mark.compare=text"}, Plan: manyGrants, Needs: "none; tokens past 99",
		Found: []string{"INV-04/stuck"}, Seeds: 50,
		Design: "a token is a 64-bit number everywhere.",
	},
	{
		Name: "tokens-from-the-clock", Title: "tokens are the lock service's time", Rule: "DESIGN 2.1", Report: "F33", Breaks: "TM LP",
		Switch: []string{"lock.tokens=clock"}, Plan: wrongClocks, Needs: "clock step",
		Found: []string{"INV-01/token-not-increasing"}, Holds: []string{"INV-02", "INV-05"}, Seeds: 200,
		Design: "the token is counted in the lock's own row.",
	},
	{
		Name: "open-intent-unowned", Title: "an intent without a reference is nobody's", Rule: "DESIGN 2.5", Report: "F34", Breaks: "SA",
		Switch: []string{"reconciler.unresolved=with-reference"}, Plan: killedProxies, Needs: "crash after the intent",
		Found: []string{"INV-04/stuck"}, Holds: []string{"INV-02", "INV-05"}, Seeds: 100,
		Design: "the reconciler works from payouts, and asks the rail about every one that is open.",
	},
	{
		Name: "hasty-cure", Title: "an old intent is put back in the queue", Rule: "DESIGN 2.5", Report: "F34", Breaks: "DS",
		Switch: []string{"reconciler.unresolved=resubmit"}, Plan: veryLateRail, Needs: "a rail slower than the cure",
		Found: []string{"INV-02"}, Seeds: 200,
		Design: "age tells nothing; a statement past the horizon does.",
	},
}

const (
	hastySweep = `topology: {executors: 3, proxies: 2, lockds: 1}
reconciler: {stale: 0s, poll: 200ms}
random:
  on_events: 0.9
  pause: {rate: 4, targets: [reconciler]}
  rail-late: 1
`
	crashingLockdb = `topology: {executors: 3, proxies: 2, lockds: 1}
lock: {backend: postgres}
workload: {accounts: 2, payouts: 24, spread: 4s}
random:
  on_events: 0.9
  database-crash: {rate: 3, targets: [lockdb]}
`
	deafReconciler = `topology: {executors: 3, proxies: 2, lockds: 1}
random:
  rail-late: 2
  rail-execute-then-5xx: 2
  cut: {rate: 4, targets: [reconciler]}
`
	sleepersOnPostgres = `topology: {executors: 3, proxies: 2, lockds: 1}
lock: {backend: postgres}
workload: {accounts: 2, payouts: 24, spread: 8s}
random:
  on_events: 0.8
  pause: {rate: 4, targets: [executor]}
`
	sleepersAfterClaim = `topology: {executors: 3, proxies: 2, lockds: 1}
lock: {backend: postgres, ttl: 2s, margin: 200ms}
workload: {accounts: 2, payouts: 16, spread: 6s}
faults:
  - {kind: pause, target: actor, on: {event: payout.claim, kind: ok, nth: 2}, for: 4s}
  - {kind: pause, target: actor, on: {event: payout.claim, kind: ok, nth: 5}, for: 4s}
`
	lostPaydbAnswers = `topology: {executors: 3, proxies: 2, lockds: 1}
random:
  on_events: 0.9
  drop-reply: {rate: 3, targets: [paydb]}
  reset: {rate: 3, targets: [paydb]}
`
	// twoBookers has holders sleep between look and booking. Their own countdown is off and their
	// deadline long, so that what is written alone decides.
	twoBookers = `topology: {executors: 3, proxies: 2, lockds: 1}
lock: {backend: postgres, ttl: 1s, margin: 100ms}
paydb: {timeout: 8s}
executor: {countdown: "off"}
workload: {accounts: 1, payouts: 8, spread: 2s}
faults:
  - {kind: pause, target: actor, on: {event: payout.post, kind: invoke, nth: 1}, after: 1ms, for: 5s}
  - {kind: pause, target: actor, on: {event: payout.post, kind: invoke, nth: 3}, after: 2ms, for: 5s}
  - {kind: pause, target: actor, on: {event: payout.post, kind: invoke, nth: 5}, after: 3ms, for: 5s}
`
	calmWithStandby = `topology: {executors: 3, proxies: 2, lockds: 1, paydb_standby: true}
`
	lostReleases = `topology: {executors: 2, proxies: 2, lockds: 1}
random:
  on_events: 0.3
  reset: {rate: 3, targets: [lockd]}
  cut: {rate: 2, targets: [lockd]}
`
	// manyGrants takes etcd's revisions, which are the tokens, past 99.
	manyGrants = `topology: {executors: 3, proxies: 2, lockds: 1, etcd_nodes: 3}
workload: {accounts: 2, payouts: 80, spread: 5s}
`
)
