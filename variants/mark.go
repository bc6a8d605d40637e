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
		Name: "mark-per-payout", Title: "a mark for each payout", Rule: "ADR-007 D5",
		Switch: []string{"rail.proxy.mark.scope=payout"}, Plan: sleepers, Needs: "pause",
		Found: []string{"INV-05"}, Holds: []string{"INV-02"}, Seeds: 200,
		Design: "the mark is the account's, as the lock is: a sleeper carries a fresh payout and a stale token.",
	},
	{
		Name: "intent-after-forward", Title: "pay, then record", Rule: "ADR-007 D3",
		Switch: []string{"rail.proxy.intent=after"}, Plan: killedProxies, Needs: "none; kill for INV-02",
		Found: []string{"INV-06", "INV-02"}, Seeds: 200,
		Design: "the intent is committed before the rail is called, so that whoever dies leaves a trace.",
	},
}

const killedProxies = `topology: {executors: 3, proxies: 2, lockds: 1}
random:
  on_events: 0.9
  kill: {rate: 2, targets: [proxy]}
`
