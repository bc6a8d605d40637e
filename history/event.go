// Package history holds what happened in a run: one Event after another, in one order.
//
// A history mixes two records. The client's record is what a process believed: an invocation,
// and later its completion, whose outcome may stay unknown. The truth is what a store, a proxy's
// database or the rail really did, in commit order. Checkers use the truth to resolve what the
// clients could not know (see Event.Truth).
//
// The package knows nobody: not the system, not the worlds, not the checkers.
package history

import "strings"

// Kind says what an event is to an operation, in Jepsen's words.
type Kind uint8

// The four kinds. A truth event is always OK: it took effect.
const (
	Invoke Kind = iota // the operation begins; it may have taken effect from here on
	OK                 // it took effect
	Fail               // it certainly did not take effect
	Info               // its outcome is unknown, or the event is an annotation
)

var kindNames = [...]string{"invoke", "ok", "fail", "info"}

// String is the kind's name in every written form of a history.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "invalid"
}

// Event is one thing that happened. It is a flat value with the field's own words rather than a
// map, so that a million seeds can be recorded, hashed and checked without allocating. Unused
// fields stay zero; Op says which are used (see the list of operations in ops.go).
//
// All times are nanoseconds. All money is integer minor units.
type Event struct {
	ID      int64  `json:"id"`      // position in the history, from 1
	Time    int64  `json:"time"`    // ns since the world's start on the world's own, true clock
	Process string `json:"process"` // who records it: a process, a store, "nemesis" or "world"
	Kind    Kind   `json:"kind"`
	Op      Op     `json:"op"`
	Truth   bool   `json:"truth,omitempty"` // recorded by the resource itself, in commit order

	// Call pairs an invocation with its completion: it is the invocation's ID on both.
	Call int64 `json:"call,omitempty"`

	Account string `json:"account,omitempty"` // account id; it is the lock key too
	Payout  string `json:"payout,omitempty"`
	Owner   string `json:"owner,omitempty"` // who holds or wants the lock

	Token      int64 `json:"token,omitempty"`       // the fencing token carried or written
	PriorToken int64 `json:"prior_token,omitempty"` // the one it replaced
	Amount     int64 `json:"amount,omitempty"`      // amount or balance, minor units
	PriorMoney int64 `json:"prior_amount,omitempty"`

	State      string `json:"state,omitempty"`
	PriorState string `json:"prior_state,omitempty"`
	Reference  string `json:"reference,omitempty"` // the rail's own reference of a payment
	Request    string `json:"request,omitempty"`   // id of the HTTP request to the rail; ties forward to payment

	Clock   int64  `json:"clock,omitempty"`   // the recording store's own clock, ns since the Unix epoch
	Expires int64  `json:"expires,omitempty"` // lease expiry on that same clock
	Tx      int64  `json:"tx,omitempty"`      // transaction id in the store; rows of one commit share it
	Error   string `json:"error,omitempty"`   // code of a refusal or failure, e.g. FENCED_OUT
	Note    string `json:"note,omitempty"`    // anything a reader needs and no checker does
}

// Demoted says whether the event is the truth of a former primary (see the constant).
func (e *Event) Demoted() bool { return e.Truth && strings.HasSuffix(e.Process, Demoted) }
