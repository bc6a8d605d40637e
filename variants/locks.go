package variants

// locks are the rows about the lock service and its clients.
var locks = []Variant{
	{
		Name: "lock-row-deleted", Title: "a release deletes the lock's row", Rule: "DESIGN 2.1",
		Switch: []string{"lock.release=delete"}, Plan: calmOnPostgres, Needs: "none",
		Found: []string{"INV-01", "INV-04"}, Seeds: 20,
		Design: "the row stays for ever, so that its token only rises.",
	},
	{
		Name: "lease-by-contenders-clock", Title: "a lease is judged by the clock of who wants it", Rule: "DESIGN 2.1", Report: "F26", Breaks: "MX LP",
		Switch: []string{"lock.expiry=client-clock"}, Plan: wrongClocks, Needs: "clock step",
		Found: []string{"INV-01"}, Seeds: 200,
		Design: "the lock database reads its own clock, in the statement that grants.",
	},
	{
		Name: "lease-counted-from-reply", Title: "a lease is counted from when its answer came", Rule: "DESIGN 2.1", Report: "F28", Breaks: "MX",
		Switch: []string{"lock.lease_from=reply"}, Plan: slowAnswers, Needs: "slow lockd replies only",
		Found: []string{"lease-overrun"}, Seeds: 500,
		Design: "the count begins before the request that succeeded was sent.",
	},
	{
		Name: "lockdb-loses-data", Title: "the lock database fails over and forgets grants", Rule: "ADR-007 D6", Report: "F33", Breaks: "TM LP",
		Plan: forgetfulLockdb, Needs: "failover with loss",
		Found: []string{"INV-01"}, Holds: []string{"INV-02", "INV-05", "INV-07"}, Seeds: 100,
		Uncontrolled: "the fault itself is what the row is about",
		Design:       "the mark is not in the lock store, and never steps back with it.",
	},
	{
		Name: "etcd-restored", Title: "etcd comes back from an old snapshot", Rule: "ADR-007 D6", Report: "F33", Breaks: "TM LP",
		Plan: restoredEtcd, Needs: "restore",
		Found: []string{"INV-01"}, Holds: []string{"INV-02", "INV-05", "INV-07"}, Seeds: 100,
		Uncontrolled: "the fault itself is what the row is about",
		Design:       "the mark is not in the lock store, and never steps back with it.",
	},
	{
		Name: "paydb-fails-over", Title: "paydb fails over to an asynchronous standby", Rule: "ADR-007 7.5", Report: "F15", Breaks: "DS SW LI",
		Plan: forgetfulPaydb, Needs: "failover with loss",
		Found: []string{"INV-06", "INV-07", "INV-02"}, Seeds: 300,
		Uncontrolled: "the fault itself is what the row is about",
		Design:       "it rests on assumption (a): a synchronous standby loses no acknowledged commit.",
	},
}

const (
	calmOnPostgres = `topology: {executors: 3, proxies: 2, lockds: 1}
lock: {backend: postgres}
`
	wrongClocks = `topology: {executors: 3, proxies: 2, lockds: 2}
lock: {backend: postgres}
workload: {accounts: 2, payouts: 16, spread: 8s}
random:
  on_events: 0.3
  clock-step: {rate: 2, targets: [lockd]}
`
	slowAnswers = `topology: {executors: 3, proxies: 2, lockds: 1}
lock: {backend: postgres, ttl: 2s, margin: 200ms, timeout: 3s, backing: 1500ms}
workload: {accounts: 2, payouts: 16, spread: 8s}
random:
  on_events: 0.8
  slow: {rate: 8, targets: [executor]}
`
	restoredEtcd = `topology: {executors: 3, proxies: 2, lockds: 1, etcd_nodes: 3}
workload: {accounts: 2, payouts: 24, spread: 6s}
random:
  on_events: 0.8
  etcd-restore: 2
`
	forgetfulPaydb = `topology: {executors: 3, proxies: 2, lockds: 1, paydb_standby: true}
workload: {spread: 1s}
breaks: [a]
random:
  on_events: 0.9
  failover: {rate: 2, targets: [paydb]}
`
)
