package history

import "math/bits"

// Hash is the 64-bit hash of a whole history: equal histories have equal hashes on every machine,
// whatever its word size, and a change of any field or of the order changes it. It guards against
// accident, not against malice.
func Hash(events []Event) uint64 {
	h := NewHasher()
	for i := range events {
		h.Add(&events[i])
	}
	return h.Sum()
}

// Hasher hashes a history while it is being recorded, without allocating.
type Hasher struct {
	state uint64
	count uint64
}

const (
	hashSeed = 0x9e3779b97f4a7c15
	hashMul  = 0xd6e8feb86659fd93
)

// NewHasher returns the hasher of an empty history.
func NewHasher() Hasher { return Hasher{state: hashSeed} }

// Add appends one event. An event is written as a bit mask of its fields that are not zero and
// then those fields, strings with their length first, so no two events read the same.
func (h *Hasher) Add(e *Event) {
	mask := uint64(e.Kind)<<32 | bit(e.Truth, 40) |
		bit(e.ID != 0, 0) | bit(e.Time != 0, 1) | bit(e.Call != 0, 2) | bit(e.Token != 0, 3) |
		bit(e.PriorToken != 0, 4) | bit(e.Amount != 0, 5) | bit(e.PriorMoney != 0, 6) |
		bit(e.Clock != 0, 7) | bit(e.Expires != 0, 8) | bit(e.Tx != 0, 9) |
		bit(e.Process != "", 16) | bit(e.Op != "", 17) | bit(e.Account != "", 18) | bit(e.Payout != "", 19) |
		bit(e.Owner != "", 20) | bit(e.State != "", 21) | bit(e.PriorState != "", 22) |
		bit(e.Reference != "", 23) | bit(e.Request != "", 24) | bit(e.Error != "", 25) | bit(e.Note != "", 26)
	s := mix(h.state, mask)
	s = mixNumber(s, e.ID)
	s = mixNumber(s, e.Time)
	s = mixNumber(s, e.Call)
	s = mixNumber(s, e.Token)
	s = mixNumber(s, e.PriorToken)
	s = mixNumber(s, e.Amount)
	s = mixNumber(s, e.PriorMoney)
	s = mixNumber(s, e.Clock)
	s = mixNumber(s, e.Expires)
	s = mixNumber(s, e.Tx)
	s = mixText(s, e.Process)
	s = mixText(s, string(e.Op))
	s = mixText(s, e.Account)
	s = mixText(s, e.Payout)
	s = mixText(s, e.Owner)
	s = mixText(s, e.State)
	s = mixText(s, e.PriorState)
	s = mixText(s, e.Reference)
	s = mixText(s, e.Request)
	s = mixText(s, e.Error)
	s = mixText(s, e.Note)
	h.state = s
	h.count++
}

func bit(is bool, n int) uint64 {
	if is {
		return 1 << n
	}
	return 0
}

// mixNumber and mixText leave out what the mask says is zero.
func mixNumber(s uint64, n int64) uint64 {
	if n == 0 {
		return s
	}
	return mix(s, uint64(n))
}

func mixText(s uint64, t string) uint64 {
	if t == "" {
		return s
	}
	return mixString(s, t)
}

// Sum is the hash of what has been added so far. More may be added afterwards.
func (h *Hasher) Sum() uint64 {
	s := mix(h.state, h.count)
	s ^= s >> 33
	s *= 0xff51afd7ed558ccd
	s ^= s >> 33
	return s
}

// mix is a bijection of s for a fixed v and of v for a fixed s: a single changed word always shows.
func mix(s, v uint64) uint64 {
	s = (bits.RotateLeft64(s, 23) ^ v) * hashMul
	return s ^ s>>32
}

// mixString reads eight bytes at a time, lowest first, whatever the machine's own order is, and what
// is left at the end as a word filled up with zeros.
func mixString(s uint64, t string) uint64 {
	s = mix(s, uint64(len(t)))
	at := 0
	for ; at+8 <= len(t); at += 8 {
		s = mix(s, word(t[at:]))
	}
	left := len(t) - at
	switch {
	case left == 0:
		return s
	case at > 0:
		return mix(s, word(t[len(t)-8:])>>(8*(8-left))) // without the bytes read before
	}
	var v uint64
	for i := range left {
		v |= uint64(t[i]) << (8 * i)
	}
	return mix(s, v)
}

// word is the first eight bytes of t.
func word(t string) uint64 {
	_ = t[7] // one check for all
	return uint64(t[0]) | uint64(t[1])<<8 | uint64(t[2])<<16 | uint64(t[3])<<24 |
		uint64(t[4])<<32 | uint64(t[5])<<40 | uint64(t[6])<<48 | uint64(t[7])<<56
}
