package variants

// writing are the rows about what is written to paydb, by whom, and about the doors beside the proxy.
var writing = []Variant{
	{
		Name: "second-door", Title: "a person pays with the rail's own credential", Rule: "ADR-007 D1", Report: "F25", Breaks: "DS",
		Switch: []string{"operator.door=direct", "breaks=[c]"}, Plan: peoplePay, Needs: "none",
		Found: []string{"INV-02", "INV-06", "INV-07"}, Seeds: 100,
		Design: "a person submits through the proxy, under a token and against the payout's submission.",
	},
	{
		Name: "unfenced-writes", Title: "claim and post without their token", Rule: "ADR-004 A4.2",
		Switch: []string{"paydb.writes=unfenced"}, Plan: sleepersAtWrites, Needs: "pause",
		Found: []string{"INV-05"}, Seeds: 300,
		Design: "each write names the token under which it was meant, and finds no row when that is old.",
	},
	{
		Name: "reconciler-decides-early", Title: "no horizon", Rule: "DESIGN 2.5",
		Switch: []string{"reconciler.horizon=0s", "rail.statement_delay=0s", "breaks=[b]"}, Plan: veryLateRail, Needs: "late rail",
		Found: []string{"INV-04"}, Seeds: 200,
		Design: "absence counts only in a statement that is complete past everything that may still come true.",
	},
	{
		Name: "reconciler-resubmits", Title: "what the statement does not show is queued again", Rule: "ADR-007 D4",
		Report: "F02", Breaks: "DS LI",
		Switch: []string{"reconciler.unresolved=resubmit"}, Plan: lostAnswers, Needs: "lost answer",
		Found: []string{"INV-02"}, Seeds: 300,
		Design: "it never sends anything: it posts what the statement shows and writes off what it cannot show any more.",
	},
	{
		Name: "cancel-claimed", Title: "a claimed payout can be cancelled", Rule: "DESIGN 2.2",
		Switch: []string{"operator.cancel=claimed"}, Plan: peopleCancel, Needs: "pause",
		Found: []string{"INV-04"}, Seeds: 200,
		Design: "only a PENDING payout is cancelled; from CLAIMED on it may have been paid.",
	},
	{
		Name: "ledger-apart", Title: "ledger and balance have two owners", Rule: "ADR-004 A4.5", Report: "F22", Breaks: "LI",
		Switch: []string{"paydb.posting=separate"}, Plan: killedAtPosting, Needs: "kill between",
		Found: []string{"INV-03"}, Seeds: 300,
		Design: "entries, balance and state change in one transaction.",
	},
	{
		Name: "ledger-apart-fenced", Title: "the same, with a third fence at the balance", Rule: "ADR-004 A4.5",
		Switch: []string{"paydb.posting=separate-fenced"}, Plan: killedAtPosting, Needs: "kill between",
		Found: []string{"INV-03"}, Seeds: 300,
		Refuted: "a fence alone was thought to mend it. A fence refuses what is stale; what a kill leaves undone it does not do. " +
			"The split needs a step that is repeated until the balance is booked, and a key by which that is done once",
		Design: "entries, balance and state change in one transaction.",
	},
	{
		Name: "ledger-apart-keyed", Title: "the same, balance first, fenced and once a payout", Rule: "ADR-004 A4.5",
		Switch: []string{"paydb.posting=separate-keyed"}, Plan: killedAtPosting, Needs: "kill between",
		Holds: []string{"INV-01", "INV-02", "INV-03", "INV-04", "INV-05", "INV-06", "INV-07"}, Never: []string{"INV-03", "false-answer"}, Seeds: 300,
		Uncontrolled: "nothing is wrong with it: it is what the third fencing point has to be",
		Design:       "entries, balance and state change in one transaction.",
	},
}

const (
	peoplePay = `topology: {executors: 3, proxies: 2, lockds: 1}
random:
  on_events: 0.8
  operator-pay: 2
`
	// sleepersAtWrites has a holder sleep between the rail's answer and its own booking. Its own
	// countdown, which is courtesy, is off, so that the fence at paydb stands alone.
	sleepersAtWrites = `topology: {executors: 2, proxies: 2, lockds: 1}
workload: {accounts: 1, payouts: 12, spread: 8s}
executor: {countdown: "off"}
faults:
  - {kind: pause, target: actor, on: {event: payout.submit, kind: ok, nth: 2}, for: 7s}
  - {kind: pause, target: actor, on: {event: payout.submit, kind: ok, nth: 5}, for: 7s}
`
	veryLateRail = `topology: {executors: 3, proxies: 2, lockds: 1}
rail: {max_delay: 10s}
reconciler: {horizon: 30s}
bound: 80s
random:
  rail-late: 3
`
	lostAnswers = `topology: {executors: 3, proxies: 2, lockds: 1}
random:
  rail-late: 2
  rail-execute-then-5xx: 1
  rail-timeout: 1
  drop-reply: {rate: 2, targets: [rail]}
`
	peopleCancel = `topology: {executors: 3, proxies: 2, lockds: 1}
random:
  on_events: 0.9
  operator-cancel: 3
  pause: {rate: 1, targets: [executor]}
`
	killedAtPosting = `topology: {executors: 3, proxies: 2, lockds: 1}
random:
  on_events: 0.9
  kill: {rate: 4, targets: [executor]}
  reset: {rate: 2, targets: [paydb]}
`
)
