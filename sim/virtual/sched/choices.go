package sched

import "math/bits"

// Purpose names a family of draws. Draws of different purposes never influence each other.
type Purpose uint8

// The purposes of the virtual world's own draws.
const (
	Preempt      Purpose = iota + 1 // is the task preempted at this decision point
	PreemptFor                      // and for how long
	Latency                         // of one message on a link
	HealOrReset                     // what becomes of a held message when its link heals
	Flush                           // how long a commit takes to reach the disk
	System                          // draws made by the system through its host
	Harness                         // draws made by the nemesis
	Election                        // how long an etcd election takes
	FollowerLag                     // how far an etcd follower trails
	Endpoint                        // which etcd node a client talks to
	Survive                         // does a connection survive a failover
	WorkloadDraw                    // accounts, amounts and due times of payouts
	Waking                          // in which order a resumed process takes up what waited
	purposes
)

// Choices is the one seam through which everything that could go more than one way is decided: a
// pick among n for the nth time at one place. The answer must be a pure function of the four
// values (and the strategy's own state), so that removing one fault moves no other draw.
type Choices interface {
	Pick(purpose Purpose, place, nth, n uint64) uint64
}

// Keyed answers every pick by hashing (seed, purpose, place, nth). It is the random strategy.
type Keyed uint64

// Pick is uniform over [0, n) up to a bias of n/2^64.
func (seed Keyed) Pick(purpose Purpose, place, nth, n uint64) uint64 {
	h := Mix(uint64(seed)+uint64(purpose)*0x9e3779b97f4a7c15, place)
	high, _ := bits.Mul64(Mix(h, nth), n)
	return high
}

// Mix folds b into a: a strong 64-bit mixer (two rounds of multiply and fold), the same on every
// processor and word size.
func Mix(a, b uint64) uint64 {
	high, low := bits.Mul64(a^0xa0761d6478bd642f, b^0xe7037ed1a0b428db)
	x := high ^ low
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	x ^= x >> 29
	return x
}

// Place turns a name into the key of its draws (FNV-1a). It depends on the name alone, so a
// process more or less in the topology does not move the others' draws.
func Place(name string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(name); i++ {
		h ^= uint64(name[i])
		h *= 1099511628211
	}
	return h
}
