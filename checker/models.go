package checker

import "github.com/anishathalye/porcupine"

// LockAction is what an operation does to a lock.
type LockAction uint8

// The actions on a lock. Expire is the store's own: it ends a lease without its holder.
const (
	Acquire LockAction = iota
	Renew
	Release
	Expire
)

// LockInput is one operation on one lock, for Porcupine. Only operations that took effect, or may
// have, belong in a history; refusals say nothing that the models use.
type LockInput struct {
	Action  LockAction
	Owner   string
	Token   int64 // 0 where the lock has none
	Clock   int64 // the judging clock when it took effect; 0 where there is none
	Expires int64 // when the lease ends on that clock; 0: never by itself
}

// LockModel names a sequential specification of a lock. A history that one of them rejects can be
// legal for another, so a verdict says which one judged.
type LockModel uint8

const (
	// Mutex is free or held, and does not know by whom.
	Mutex LockModel = iota
	// OwnedMutex is released by its holder only.
	OwnedMutex
	// Lease is an OwnedMutex whose hold ends by itself at Expires. A release that comes after that
	// does nothing.
	Lease
	// FencedLease is a Lease whose tokens strictly increase from grant to grant.
	FencedLease
)

var lockModelNames = [...]string{"mutex", "owned mutex", "lease", "fenced lease"}

// String is the model's name in verdicts.
func (m LockModel) String() string { return lockModelNames[m] }

type lockState struct {
	held    bool
	owner   string
	holding int64 // token of the holder
	expires int64
	highest int64 // token ever granted
}

// Model is the specification as Porcupine wants it, for the operations of one lock.
func (m LockModel) Model() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return lockState{} },
		Step: func(state, input, _ any) (bool, any) {
			next, ok := m.step(state.(lockState), input.(LockInput))
			return ok, next
		},
		Equal: func(a, b any) bool { return a.(lockState) == b.(lockState) },
		Hash: func(state any) uint64 {
			s := state.(lockState)
			return spread(uint64(s.holding)) ^ spread(uint64(s.highest)+1) ^ spread(uint64(s.expires)+2)
		},
	}
}

func (m LockModel) step(s lockState, in LockInput) (lockState, bool) {
	leased := m == Lease || m == FencedLease
	expired := leased && s.expires != 0 && s.expires <= in.Clock
	mine := s.held && (m == Mutex || // an operation that does not say whose or which it is fits any
		(in.Owner == "" || in.Owner == s.owner) && (in.Token == 0 || in.Token == s.holding))
	switch in.Action {
	case Acquire:
		if s.held && !expired || m == FencedLease && in.Token <= s.highest {
			return s, false
		}
		return lockState{held: true, owner: in.Owner, holding: in.Token, expires: in.Expires, highest: max(s.highest, in.Token)}, true
	case Renew:
		if !mine && !leased {
			return s, false
		}
		if mine {
			s.expires = in.Expires
		}
		return s, true
	case Release, Expire:
		if !mine && !leased {
			return s, false
		}
		if mine {
			s.held, s.owner, s.holding, s.expires = false, "", 0, 0
		}
		return s, true
	}
	return s, false
}

// RegisterAction is what an operation does to a register.
type RegisterAction uint8

// The actions on a register.
const (
	Read    RegisterAction = iota // saw Seen
	Write                         // wrote Wrote
	Swap                          // saw Seen and wrote Wrote, at once
	Advance                       // a Swap that only ever raises the value: a high-water mark
)

// RegisterInput is one operation on one register, for Porcupine.
type RegisterInput struct {
	Action  RegisterAction
	Seen    int64
	Unknown bool // what it saw is not known: it may have seen anything
	Wrote   int64
}

// Register is a register that starts with a value.
func Register(initial int64) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return initial },
		Step: func(state, input, _ any) (bool, any) {
			s, in := state.(int64), input.(RegisterInput)
			if in.Action != Write && !in.Unknown && in.Seen != s || in.Action == Advance && in.Wrote <= s {
				return false, s
			}
			if in.Action == Read {
				return true, s
			}
			return true, in.Wrote
		},
		Hash: func(state any) uint64 { return spread(uint64(state.(int64))) },
	}
}

// spread scatters a value over 64 bits (splitmix64's finalizer).
func spread(v uint64) uint64 {
	v += 0x9e3779b97f4a7c15
	v = (v ^ v>>30) * 0xbf58476d1ce4e5b9
	v = (v ^ v>>27) * 0x94d049bb133111eb
	return v ^ v>>31
}
