package variants

// mark are the rows about the mark: where it is kept, for what, and how it is compared.
var mark = []Variant{
	{
		Name: "mark-in-memory-restart", Title: "the mark in the proxy's memory, one replica", Rule: "ADR-007 7.2 (i)",
		Switch: []string{"rail.proxy.mark.store=memory"}, Plan: sleepersAndRestarts, Needs: "pause and restart",
		Found: []string{"INV-02", "INV-05", "INV-07"}, Seeds: 600,
		Design: "the mark is a row in paydb and survives what makes stale holders.",
	},
	{
		Name: "mark-in-memory-replicas", Title: "the mark in the memory of two proxies", Rule: "ADR-007 7.2 (ii)",
		Switch: []string{"rail.proxy.mark.store=memory"}, Plan: sleepers, Needs: "pause",
		Found: []string{"INV-02", "INV-05", "INV-07"}, Seeds: 400,
		Design: "replicas share paydb, and so one mark.",
	},
	{
		Name: "mark-read-from-standby", Title: "both checks read at a standby", Rule: "ADR-007 7.2 (iii)",
		Switch: []string{"rail.proxy.mark.store=standby"}, Plan: laggingStandby, Needs: "pause and lag",
		Found: []string{"INV-02", "INV-05", "INV-07"}, Seeds: 300,
		Design: "the mark is compared and advanced in one write at the primary.",
	},
	{
		Name: "sticky-routing-over-memory", Title: "marks in memory, each account at one replica", Rule: "ADR-007 7.4",
		Switch: []string{"rail.proxy.mark.store=memory", "executor.routing=sticky"}, Plan: restartedReplicas, Needs: "restart",
		Found: []string{"INV-02"}, Seeds: 600,
		Design: "no replica remembers anything, so it matters to nobody which one answers.",
	},
	{
		Name: "mark-in-etcd", Title: "the mark next to the locks", Rule: "ADR-007 D6",
		Switch: []string{"rail.proxy.mark.store=etcd"}, Plan: etcdInTrouble, Needs: "etcd down; etcd restored",
		Found: []string{"refused-while-paydb-up", "INV-07"}, Seeds: 300,
		Design: "the mark is in the resource's own database, which the lock store's trouble does not touch.",
	},
	{
		Name: "mark-per-payout", Title: "a mark for each payout", Rule: "ADR-007 D5",
		Switch: []string{"rail.proxy.mark.scope=payout"}, Plan: sleepers, Needs: "pause",
		Found: []string{"INV-05"}, Holds: []string{"INV-02"}, Seeds: 200,
		Design: "the mark is the account's, as the lock is: a sleeper carries a fresh payout and a stale token.",
	},
	{
		Name: "greater-or-equal", Title: "the mark's own token passes", Rule: "ADR-007 D3", Report: "F13", Breaks: "TM SW DS",
		Switch: []string{"rail.proxy.mark.compare=gte"}, Plan: forgetfulLockdb, Needs: "a lock store that lost grants",
		Found: []string{"INV-05/equal-token-admitted"}, Seeds: 400,
		Design: "a token counts once: what is not above the mark is refused, whoever carries it.",
	},
	{
		Name: "duplicate-check-first", Title: "check 2 before check 1", Rule: "ADR-007 D3",
		Switch: []string{"rail.proxy.order=duplicate-first"}, Plan: sleepers, Needs: "pause",
		Found: []string{"stale-called-duplicate"}, Holds: []string{"INV-02", "INV-05", "INV-07"}, Seeds: 100,
		Design: "a stale holder is told that it is stale; the alert is left to callers who are not.",
	},
	{
		Name: "intent-after-forward", Title: "pay, then record", Rule: "ADR-007 D3",
		Switch: []string{"rail.proxy.intent=after"}, Plan: killedProxies, Needs: "none; kill for INV-02",
		Found: []string{"INV-06", "INV-02"}, Seeds: 200,
		Design: "the intent is committed before the rail is called, so that whoever dies leaves a trace.",
	},
	{
		Name: "intent-in-the-forwards-transaction", Title: "the rail is called inside the intent's transaction", Rule: "ADR-007 D3",
		Report: "F01", Breaks: "DS LI",
		Switch: []string{"rail.proxy.intent=same-transaction"}, Plan: abortedBackends, Needs: "none; abort after the answer",
		Found: []string{"INV-06", "INV-02"}, Seeds: 200,
		Design: "the intent has committed before the rail hears of it: an abort leaves it behind.",
	},
	{
		Name: "retry-on-timeout", Title: "the proxy calls again when no answer comes", Rule: "ADR-007 D4",
		Switch: []string{"rail.proxy.retry=on-timeout"}, Plan: lateRail, Needs: "slow or late rail",
		Found: []string{"INV-02"}, Seeds: 100,
		Design: "a call without an answer is TIMEOUT and stays so until the statement tells.",
	},
	{
		Name: "read-then-write-admission", Title: "the mark is read, compared and then written", Rule: "ADR-007 7.5",
		Report: "F12", Breaks: "SW DS",
		Switch: []string{"rail.proxy.admission=read-then-write"}, Plan: sleepingProxies, Needs: "race of two proxies",
		Found: []string{"INV-05"}, Seeds: 1000,
		Design: "one conditional write compares and advances under the row's lock.",
	},
}

const killedProxies = `topology: {executors: 3, proxies: 2, lockds: 1}
random:
  on_events: 0.9
  kill: {rate: 2, targets: [proxy]}
`

const (
	// laggingStandby has a standby that is shown to trail, and sleepers to profit from it.
	laggingStandby = `topology: {executors: 3, proxies: 2, lockds: 1, paydb_standby: true}
workload: {accounts: 2, payouts: 12, spread: 2s}
random:
  on_events: 0.8
  pause: {rate: 4, targets: [executor]}
`
	restartedReplicas = `topology: {executors: 3, proxies: 2, lockds: 1}
workload: {accounts: 2, payouts: 12, spread: 2s}
random:
  on_events: 0.8
  pause: {rate: 4, targets: [executor]}
  restart: {rate: 3, targets: [proxy]}
`
	etcdInTrouble = `topology: {executors: 3, proxies: 2, lockds: 1, etcd_nodes: 3}
random:
  on_events: 0.5
  pause: {rate: 2, targets: [executor]}
  etcd-leader-loss: 2
  etcd-restore: 1
`
	forgetfulLockdb = `topology: {executors: 3, proxies: 2, lockds: 1, lockdb_standby: true}
lock: {backend: postgres}
workload: {accounts: 2, payouts: 24, spread: 6s}
random:
  on_events: 0.8
  failover: {rate: 2, targets: [lockdb]}
`
	abortedBackends = `topology: {executors: 3, proxies: 2, lockds: 1}
random:
  on_events: 0.9
  kill: {rate: 1.5, targets: [proxy]}
  backend-kill: 3
`
)
