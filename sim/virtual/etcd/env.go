package etcd

import "time"

// Env is what a cluster needs from the world.
type Env interface {
	// Now reads the monotonic clock, in nanoseconds, that leases are counted on. It never runs
	// backward.
	Now() int64
	// After calls f once d has passed, unless cancelled before. It never calls f at once.
	After(d time.Duration, f func()) (cancel func())
	// Changed is told of each change once it is applied, in order, before the request that caused
	// it is answered. It may stop or cut nodes; it must not modify the change's bytes.
	Changed(c Change)
	// Election says how long the election takes that starts now.
	Election() time.Duration
	// Lag says how far the state of a follower trails the leader's.
	Lag(node int) time.Duration
}

// Options configures a cluster. The zero value of a field means its default.
type Options struct {
	// Nodes is the number of members; 1 by default.
	Nodes int
	// Seed chooses the first lease id that the cluster draws. Later ones count up from it.
	Seed uint64
	// Election is the election time-out, 1 s by default. The minimum lease TTL, the request
	// time-out and the extension of leases by a new leader follow from it. It is a multiple of Tick.
	Election time.Duration
}

// Tick is the heartbeat interval of the members (the server's default).
const Tick = 100 * time.Millisecond

// Why says what a Change is.
type Why uint8

// What a Change can be. The first group changes a key, the second a lease, StoreRestored neither.
const (
	// KeyPut: a put, alone or in a transaction.
	KeyPut Why = iota + 1
	// KeyDeleted: a delete request, alone or in a transaction.
	KeyDeleted
	// KeyRevoked: the key's lease was revoked by a client.
	KeyRevoked
	// KeyExpired: the key's lease expired and the leader had it revoked.
	KeyExpired
	// KeyRestored: a restore put the key back to an older state, or took it away (Deleted).
	KeyRestored

	// LeaseGranted: a new lease.
	LeaseGranted
	// LeaseRenewed: a keepalive.
	LeaseRenewed
	// LeaseExtended: a new leader renewed the lease, with the extension.
	LeaseExtended
	// LeaseRevoked: ended by a client. The changes of its keys come before.
	LeaseRevoked
	// LeaseExpired: ended by the leader. The changes of its keys come before.
	LeaseExpired
	// LeaseRestored: a restore brought back a lease that had ended.
	LeaseRestored
	// LeaseForgotten: a restore lost the lease.
	LeaseForgotten

	// StoreRestored: the store stepped back to Revision. The keys and leases that the step
	// changed follow.
	StoreRestored
)

var whyNames = [...]string{
	KeyPut: "put", KeyDeleted: "delete", KeyRevoked: "key revoked", KeyExpired: "key expired", KeyRestored: "key restored",
	LeaseGranted: "grant", LeaseRenewed: "renew", LeaseExtended: "extend", LeaseRevoked: "lease revoked",
	LeaseExpired: "lease expired", LeaseRestored: "lease restored", LeaseForgotten: "lease forgotten",
	StoreRestored: "store restored",
}

func (w Why) String() string { return whyNames[w] }

// OfKey reports whether the change is to a key.
func (w Why) OfKey() bool { return w >= KeyPut && w <= KeyRestored }

// OfLease reports whether the change is to a lease.
func (w Why) OfLease() bool { return w >= LeaseGranted && w <= LeaseForgotten }

// Change is one thing that really happened in the store. Its byte slices belong to the store.
type Change struct {
	Why Why
	// At is the time on the lease clock, in nanoseconds.
	At int64
	// Revision is the store's revision with this change applied. Several changes share it: a
	// transaction, or the keys of one lease.
	Revision int64
	// Sub orders the changes of one revision, from 0.
	Sub int64

	// Key is the key's state after the change. A deleted key has only its name, its lease 0.
	Key     KeyValue
	Deleted bool
	// Prior is the key's state before; its Version is 0 if there was none.
	Prior KeyValue

	// Lease is the lease concerned. For a change of a key it is the lease that the key is attached
	// to, or was until it was deleted; 0 is none.
	Lease int64
	// TTL is the lease's granted time to live in seconds.
	TTL int64
	// Expires is when the lease expires on the lease clock, in nanoseconds; 0 for changes of keys
	// and while no leader counts it. The leader acts on it at its next check.
	Expires int64
}

// KeyValue is one state of a key.
type KeyValue struct {
	Key                                string
	Value                              []byte
	CreateRevision, ModRevision, Lease int64
	// Version counts the key's puts since it was created; 0 means the key is not there.
	Version int64
}
