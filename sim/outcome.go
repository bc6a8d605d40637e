package sim

import (
	"slices"
	"strconv"
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
	// List names every payout instead of drawing them; the fields above, Opening apart, then mean
	// nothing. A smaller workload is a shorter list: what stays is not drawn anew.
	List []Payout `yaml:"list,omitempty" json:"list,omitempty"`
}

// Payout is one payout of the workload.
type Payout struct {
	ID      string        `yaml:"id" json:"id"`
	Account string        `yaml:"account" json:"account"`
	Amount  int64         `yaml:"amount" json:"amount"`               // minor units
	Due     time.Duration `yaml:"due,omitempty" json:"due,omitempty"` // when it arrives, after the start
}

// Count is how many payouts there are.
func (w *Workload) Count() int {
	if len(w.List) > 0 {
		return len(w.List)
	}
	return w.Payouts
}

// Draw makes the payouts: the listed ones, or as many as are asked for. Each draw names the field
// it is for and the payout's place, so that one payout's draws move no other's.
func (w *Workload) Draw(pick func(field string, nth int, n uint64) uint64) []Payout {
	if len(w.List) > 0 {
		return w.List
	}
	accounts := w.AccountNames()
	payouts := make([]Payout, w.Payouts)
	for i := range payouts {
		p := &payouts[i]
		p.ID = numbered("payout-", i+1, w.Payouts)
		p.Account = accounts[pick("account", i, uint64(w.Accounts))]
		p.Amount = w.AmountMin + int64(pick("amount", i, uint64(w.AmountMax-w.AmountMin)+1))
		if w.Spread > 0 {
			p.Due = time.Duration(pick("due", i, uint64(w.Spread)))
		}
	}
	return payouts
}

// AccountNames lists the accounts that have money, in order of their names.
func (w *Workload) AccountNames() []string {
	var names []string
	for _, p := range w.List {
		if !slices.Contains(names, p.Account) {
			names = append(names, p.Account)
		}
	}
	slices.Sort(names)
	if len(w.List) == 0 {
		names = make([]string, 0, w.Accounts)
		for i := 1; i <= w.Accounts; i++ {
			names = append(names, numbered("account-", i, w.Accounts))
		}
	}
	return names
}

// numbered is prefix-07: zero-padded so that names sort as numbers do.
func numbered(prefix string, n, of int) string {
	digits := strconv.Itoa(n)
	zeros := max(0, len(strconv.Itoa(of))-len(digits))
	return prefix + "00000000000000000000"[:zeros] + digits
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
	// Steady has every message take Latency exactly: no luck, good or bad (virtual world only).
	Steady bool `yaml:"steady,omitempty" json:"steady,omitempty"`
}
