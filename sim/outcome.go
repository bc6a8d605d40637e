package sim

import (
	"time"

	"dlsim/history"
)

// Workload is the work the system is given: accounts with money, and payouts from them.
type Workload struct {
	Accounts int `yaml:"accounts" json:"accounts"`
	Payouts  int `yaml:"payouts" json:"payouts"`
	// Opening is each account's balance before the run, minor units.
	Opening int64 `yaml:"opening" json:"opening"`
	// AmountMin and AmountMax bound each payout's amount, minor units. Equal amounts are common
	// on purpose: two equal payouts are two payments.
	AmountMin int64 `yaml:"amount_min" json:"amount_min"`
	AmountMax int64 `yaml:"amount_max" json:"amount_max"`
	// Spread is the time over which the payouts arrive; 0 has all of them there at the start.
	Spread time.Duration `yaml:"spread" json:"spread"`
}

// Outcome is what a world hands over when it has ended.
type Outcome struct {
	// Events is the whole history in order.
	Events []history.Event
	// Hash covers the history; TraceHash every decision, delivery and state change besides. Both
	// are 16 hex digits, and empty in a world that is not deterministic.
	Hash, TraceHash string
	// Elapsed is the true time the run took in its own world.
	Elapsed time.Duration
	// Steps counts scheduler steps (virtual) or recorded events (live).
	Steps int64
	// Quiescent is true when every payout was final and all faults healed; false when the bound ended it.
	Quiescent bool
}

// Network is how long messages take when nothing is wrong, and how long they can live.
type Network struct {
	// Latency is the typical one-way latency of a message; the distribution around it has a long
	// tail of up to forty times as much.
	Latency time.Duration `yaml:"latency" json:"latency"`
	// MessageLifetime is the longest a held message can stay in the network and still arrive. It
	// is a term of the horizon (DESIGN 2.5 (b)).
	MessageLifetime time.Duration `yaml:"message_lifetime" json:"message_lifetime"`
}
