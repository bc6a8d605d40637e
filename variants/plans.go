package variants

// Plans that several rows share. Each is a part of a scenario file. A plan is random unless a race
// has to be met at one step: then its faults are placed on events.
const (
	// sleepers has holders stand still around their submission for longer than their lease.
	sleepers = `topology: {executors: 3, proxies: 2, lockds: 1}
workload: {accounts: 2, payouts: 12, spread: 2s}
random:
  on_events: 0.8
  pause: {rate: 3, targets: [executor]}
`
	// sleepersAndRestarts lets proxies be restarted besides.
	sleepersAndRestarts = `topology: {executors: 3, proxies: 1, lockds: 1}
workload: {accounts: 2, payouts: 12, spread: 2s}
random:
  on_events: 0.8
  pause: {rate: 3, targets: [executor]}
  restart: {rate: 3, targets: [proxy]}
`
	// lateRail has the rail answer late, not at all, or wrongly.
	lateRail = `topology: {executors: 3, proxies: 2, lockds: 1}
random:
  rail-late: 2
  rail-timeout: 1
  rail-execute-then-5xx: 2
`
	// calm has no faults at all.
	calm = `topology: {executors: 3, proxies: 2, lockds: 1}
`
)
