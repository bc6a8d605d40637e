package variants

// guard are the rows about what stands before the rail.
var guard = []Variant{
	{
		Name: "fencing-off", Title: "no checks at the proxy", Rule: "ADR-007 D7",
		Switch: []string{"rail.proxy.fencing.enabled=false"}, Plan: sleepers, Needs: "pause",
		Found: []string{"INV-02", "INV-05", "INV-07"}, Seeds: 200,
		Design: "the proxy compares the token with the account's mark and refuses what is not above it.",
	},
	{
		Name: "idempotency-key-alone", Title: "check 2 without check 1", Rule: "ADR-007 7.4",
		Switch: []string{"rail.proxy.checks=duplicate"}, Plan: sleepers,
		Needs: "pause; another payout of the account between",
		Found: []string{"INV-05"}, Holds: []string{"INV-02"}, Seeds: 200,
		Design: "a sleeper's first submission of a payout is refused by its token, since no key can tell that it is stale.",
	},
	{
		Name: "token-alone", Title: "check 1 without check 2", Rule: "ADR-007 D3",
		Switch: []string{"rail.proxy.checks=token"}, Plan: twoSleepers, Needs: "two pauses, placed on events",
		Found: []string{"INV-02"}, Holds: []string{"INV-05"}, Seeds: 200,
		Design: "the newer holder's submission is refused as a duplicate, whatever its token.",
	},
	{
		Name: "guard-in-executor", Title: "the executor checks before it calls", Rule: "ADR-007 7.4",
		Switch: []string{"rail.proxy.guard=executor"}, Plan: sleepers, Needs: "pause after its check",
		Found: []string{"INV-02", "INV-05", "INV-07"}, Seeds: 400,
		Design: "the check is made where the executor cannot sleep between it and the forward.",
	},
	{
		Name: "guard-asks-lock-service", Title: "the proxy asks whether the token still holds", Rule: "ADR-007 7.4",
		Switch: []string{"rail.proxy.guard=lock-service"}, Plan: sleepingProxies, Needs: "pause in the proxy",
		Found: []string{"INV-02", "INV-05", "INV-07"}, Seeds: 1500,
		Design: "the answer and the admission are one transaction, and no lock service is asked.",
	},
	{
		Name: "guard-asks-lock-service-outage", Title: "the same, while the lock service is away", Rule: "ADR-007 7.4",
		Switch: []string{"rail.proxy.guard=lock-service"}, Plan: lostLockService, Needs: "lock service down",
		Found: []string{"refused-while-paydb-up"}, Seeds: 100,
		Design: "no lock service is asked, so its outage stops nobody who holds a lock already.",
	},
	{
		Name: "guard-downstream", Title: "forward all, drop repeated bookings", Rule: "ADR-007 7.4",
		Switch: []string{"rail.proxy.guard=downstream"}, Plan: sleepers, Needs: "pause",
		Found: []string{"INV-02"}, Seeds: 200,
		Design: "the decision is made before the forward, since there is no after for money.",
	},
}

const (
	// twoSleepers lets the first holder sleep over its claim and the second one over its submission.
	twoSleepers = `topology: {executors: 3, proxies: 2, lockds: 1}
workload: {accounts: 1, payouts: 6, spread: 1s}
random:
  on_events: 1
  pause: {rate: 6, targets: [executor]}
`
	// sleepingProxies has proxies stand still between question and forward, and the lock service away.
	// sleepingProxies has proxies stand still in the middle of an admission for longer than a lease,
	// which is short here.
	sleepingProxies = `topology: {executors: 3, proxies: 2, lockds: 1}
lock: {ttl: 2s, margin: 200ms}
executor: {submit_timeout: 8s}
rail: {proxy: {admit_timeout: 6s}}
reconciler: {horizon: 30s}
bound: 70s
workload: {accounts: 2, payouts: 12, spread: 2s}
random:
  on_events: 0.9
  pause: {rate: 6, targets: [proxy]}
`
	lostLockService = `topology: {executors: 3, proxies: 2, lockds: 2}
random:
  on_events: 0.9
  kill: {rate: 4, targets: [lockd]}
  etcd-leader-loss: 2
`
)
