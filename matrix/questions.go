package matrix

import "dlsim/variants"

// Questions are rows about the full design itself: what it lets through that its records say it does
// not, and what the remedies that come to mind leave open. docs/findings.md tells what follows.
func Questions() []*variants.Variant {
	all := make([]*variants.Variant, len(questions))
	for i := range questions {
		all[i] = &questions[i]
	}
	return all
}

const itself = "the row is about the full design itself"

var questions = []variants.Variant{
	{
		Name: "question-1", Title: "a duplicate is attempted and every caller is correct", Rule: "ADR-007 7.3 and 7.5",
		Plan: twoHolders, Needs: "pause", Found: []string{"duplicate-attempted"}, Holds: invariants(), Seeds: 500, Uncontrolled: itself,
		Design: "does this. With rail.proxy.admission=claim the stale first submission is refused, and the newer holder's is the only one.",
	},
	{
		Name: "question-2", Title: "a stale holder pays after its claim was replaced", Rule: "ADR-004 A4.2, submit",
		Plan: sleepyHolders, Needs: "pause", Found: []string{"superseded-claim"}, Holds: invariants(), Seeds: 500, Uncontrolled: itself,
		Design: "does this: a claim moves no mark. With rail.proxy.admission=claim the admission looks at the claim in its own transaction.",
	},
	{
		Name: "question-2-claim", Title: "the claim is checked at admission and replaced before the forward", Rule: "ADR-004 A4.2, submit",
		Switch: []string{"rail.proxy.admission=claim"}, Plan: sleepyProxies, Needs: "pause of the proxy", Found: []string{"superseded-claim"}, Holds: invariants(), Seeds: 500, Uncontrolled: itself,
		Design: "leaves the same gap: whatever the admission looks at, it looks at it before the send.",
	},
	{
		Name: "question-3", Title: "a proxy stands still past the horizon", Rule: "DESIGN 2.5 (b)",
		Plan:  longPause + "  - {kind: pause, target: actor, on: {event: proxy.admit, kind: ok, nth: 2}, for: 40s}\n",
		Needs: "pause longer than the horizon", Found: []string{"INV-04/written-off-then-paid"}, Holds: []string{"INV-02", "INV-05", "INV-06", "INV-07"}, Seeds: 50, Uncontrolled: itself,
		Design: "does this: no finite horizon outlasts every pause. Assumption (b) is a bound that somebody has to keep.",
	},
	{
		Name: "question-3-deadline", Title: "a deadline is looked at just before the send", Rule: "DESIGN 2.5 (b)",
		Switch: []string{"rail.proxy.send_within=3s"},
		Plan:   longPause + "  - {kind: pause, target: actor, on: {event: rail.forward, kind: invoke, nth: 2}, for: 40s}\n",
		Needs:  "the same pause, one step later", Found: []string{"INV-04/written-off-then-paid"}, Holds: []string{"INV-02", "INV-05", "INV-06", "INV-07"}, Seeds: 50, Uncontrolled: itself,
		Design: "has the same gap, and a wider one: the look and the send are two steps.",
	},
	{
		Name: "question-3-kill", Title: "the proxy is ended before the write-off, its request is not", Rule: "DESIGN 2.5 (b)",
		Plan: longPause + "  - {kind: delay-request, from: proxy, to: rail, at: 1s, for: 10s, extra: 30s}\n" +
			"  - {kind: kill, target: any-proxy, on: {event: rail.forward, kind: invoke, nth: 2}, after: 100ms, for: 30s}\n",
		Needs: "a message that lives longer than the horizon", Found: []string{"INV-04/written-off-then-paid"}, Holds: []string{"INV-02", "INV-05", "INV-06", "INV-07"}, Seeds: 50, Uncontrolled: itself,
		Design: "bounds the life of a message as it bounds pauses; only the rail can refuse what is already under way.",
	},
	{
		Name: "question-3-rotation", Title: "the rail's credential is rotated before the write-off", Rule: "DESIGN 2.5 (b)",
		Switch: []string{"rail.credential=rotated"}, Plan: allThree, Needs: "the pauses and the message of the three rows above",
		Never: []string{"INV-04/written-off-then-paid"}, Seeds: 50,
		Uncontrolled: "it is the remedy; the design itself shows it, see question-3",
		Design:       "pays what it has written off: the rail knows no difference between a request of today and one of yesterday.",
	},
	{
		Name: "question-3-rotation-late", Title: "the credential is rotated, and the rail executes late what it has taken in", Rule: "DESIGN 2.5 (b)",
		Switch: []string{"rail.credential=rotated"}, Plan: brokenPromise,
		Needs: "a rail slower than its promise", Found: []string{"INV-04/written-off-then-paid"}, Holds: []string{"INV-02", "INV-05", "INV-06", "INV-07"}, Seeds: 50, Uncontrolled: itself,
		Design: "has the same gap: what the rail has taken in, nobody can take back from it.",
	},
	{
		Name: "question-3-rotation-repeated", Title: "the credential is rotated, and a proxy that is refused fetches the new one and sends again", Rule: "DESIGN 2.5 (b)",
		Switch: []string{"rail.credential=rotated", "rail.proxy.retry=on-401"}, Plan: allThree,
		Needs: "pause longer than two horizons", Found: []string{"INV-04/written-off-then-paid"}, Holds: []string{"INV-02", "INV-05", "INV-06", "INV-07"}, Seeds: 50, Uncontrolled: itself,
		Design: "sends once, and takes a refusal for an answer.",
	},
}

const (
	// twoHolders stops the first holder before its send and the second one after it has asked.
	twoHolders = `topology: {executors: 3, proxies: 2, lockds: 1}
workload: {accounts: 1, payouts: 3, spread: 1s}
faults:
  - {kind: pause, target: actor, on: {event: payout.submit, kind: invoke}, for: 7s}
  - {kind: pause, target: actor, on: {event: submission.ask, kind: ok}, for: 2s}
`
	sleepyHolders = `topology: {executors: 3, proxies: 2, lockds: 1}
workload: {accounts: 2, payouts: 12, spread: 2s}
random:
  on_events: 0.8
  pause: {rate: 3, targets: [executor]}
`
	sleepyProxies = `topology: {executors: 3, proxies: 2, lockds: 1}
workload: {accounts: 2, payouts: 12, spread: 2s}
random:
  on_events: 0.9
  pause: {rate: 4, targets: [proxy]}
`
	longPause = `topology: {executors: 3, proxies: 3, lockds: 1}
reconciler: {horizon: 12s}
heal_by: 46s
bound: 80s
breaks: [b]
faults:
`
	// allThree has the sleepers of the first two rows of question 3 and the message of the third, the
	// second sleeper until after a write-off that waited for a rotation too.
	allThree = `topology: {executors: 3, proxies: 3, lockds: 1}
reconciler: {horizon: 12s}
heal_by: 76s
bound: 130s
progress: 40s
breaks: [b]
faults:
  - {kind: pause, target: actor, on: {event: proxy.admit, kind: ok, nth: 2}, for: 40s}
  - {kind: pause, target: actor, on: {event: rail.forward, kind: invoke, nth: 4}, for: 70s}
  - {kind: delay-request, from: proxy, to: rail, on: {event: rail.forward, kind: invoke, nth: 6}, for: 1s, extra: 60s, count: 1}
`
	// brokenPromise has the rail take one payment in and make it two horizons later.
	brokenPromise = `topology: {executors: 3, proxies: 3, lockds: 1}
reconciler: {horizon: 12s}
rail: {max_delay: 70s}
heal_by: 20s
bound: 110s
breaks: [b]
faults:
  - {kind: rail-late, target: rail, on: {event: rail.forward, kind: invoke, nth: 2}, for: 2s, extra: 60s, count: 1}
`
)
