package virtual

import (
	"slices"
	"strconv"
	"strings"

	"dlsim/history"
	"dlsim/sim/truth"
	"dlsim/sim/virtual/etcd"
	"dlsim/system/lock"
	"dlsim/system/proxy"
)

// leaseTruth is what the history needs to know of a lease while keys hang on it.
type leaseTruth struct {
	id      int64
	expires int64
	keys    []etcd.KeyValue
}

func (e *etcdStore) lease(id int64) *leaseTruth {
	for i := range e.leases {
		if e.leases[i].id == id {
			return &e.leases[i]
		}
	}
	n := len(e.leases)
	e.leases = slices.Grow(e.leases, 1)[:n+1]
	l := &e.leases[n]
	*l = leaseTruth{id: id, keys: l.keys[:0]}
	return l
}

// Changed turns each change of a lock's key, and of the lease it hangs on, into the truth of the
// history.
func (e *etcdStore) Changed(c etcd.Change) {
	switch c.Why {
	case etcd.LeaseGranted, etcd.LeaseRestored:
		e.lease(c.Lease).expires = c.Expires
	case etcd.LeaseRenewed, etcd.LeaseExtended:
		l := e.lease(c.Lease)
		l.expires = c.Expires
		for i := range l.keys {
			e.tell(&c, &l.keys[i], truth.KeyRenewed, c.Expires, false)
		}
	case etcd.LeaseRevoked, etcd.LeaseExpired, etcd.LeaseForgotten:
		for i := range e.leases {
			if e.leases[i].id == c.Lease {
				keys := e.leases[i].keys // memory for a lease to come
				e.leases = slices.Delete(e.leases, i, i+1)
				e.leases[:len(e.leases)+1][len(e.leases)].keys = keys
				break
			}
		}
	case etcd.StoreRestored:
		e.w.record(&history.Event{Process: etcdAlias, Kind: history.OK, Op: history.StoreLost, Truth: true, Clock: c.At, Note: "restore"})
	case etcd.KeyPut, etcd.KeyRestored:
		lost := c.Why == etcd.KeyRestored
		if strings.HasPrefix(c.Key.Key, proxy.EtcdMarkPrefix) || strings.HasPrefix(c.Prior.Key, proxy.EtcdMarkPrefix) {
			e.tellMark(&c, lost)
			return
		}
		if c.Prior.Version > 0 {
			e.detach(c.Prior)
		}
		if c.Deleted {
			e.tell(&c, &c.Prior, truth.KeyDeleted, 0, lost)
			return
		}
		expires := int64(0)
		if c.Key.Lease != 0 {
			l := e.lease(c.Key.Lease)
			l.keys = append(l.keys, c.Key)
			expires = l.expires
		}
		e.tell(&c, &c.Key, truth.KeyPut, expires, lost)
	case etcd.KeyDeleted, etcd.KeyRevoked, etcd.KeyExpired:
		e.detach(c.Prior)
		act := truth.KeyDeleted
		if c.Why == etcd.KeyExpired {
			act = truth.KeyExpired
		}
		e.tell(&c, &c.Prior, act, 0, false)
	}
}

// tellMark tells of a mark that a rejected design keeps next to the locks.
func (e *etcdStore) tellMark(c *etcd.Change, lost bool) {
	value := func(kv *etcd.KeyValue) int64 {
		n, _ := strconv.ParseInt(string(kv.Value), 10, 64)
		return n
	}
	now, key := value(&c.Key), c.Key.Key
	if c.Deleted {
		now, key = 0, c.Prior.Key
	}
	k := truth.KeyChange{Store: etcdAlias, Key: key, Revision: c.Revision, Clock: c.At}
	e.w.truths = truth.AppendMark(e.w.truths[:0], &k, proxy.EtcdMarkPrefix, now, value(&c.Prior), lost)
	e.w.recordTruths()
}

func (e *etcdStore) detach(kv etcd.KeyValue) {
	if kv.Lease == 0 {
		return
	}
	l := e.lease(kv.Lease)
	for i := range l.keys {
		if l.keys[i].Key == kv.Key {
			l.keys = append(l.keys[:i], l.keys[i+1:]...)
			return
		}
	}
}

func (e *etcdStore) tell(c *etcd.Change, kv *etcd.KeyValue, act truth.KeyAct, expires int64, lost bool) {
	k := truth.KeyChange{Store: etcdAlias, Key: kv.Key, Owner: e.owner(kv.Value), Act: act, Revision: c.Revision,
		Token: kv.CreateRevision, Clock: c.At, Expires: expires}
	if act == truth.KeyPut {
		k.Prior = e.swapToken(kv.Key, kv.CreateRevision)
	}
	w := e.w
	if lost {
		w.truths = truth.AppendKeyLost(w.truths[:0], &k, lock.EtcdPrefix)
	} else {
		w.truths = truth.AppendKey(w.truths[:0], &k, lock.EtcdPrefix)
	}
	w.recordTruths()
}

// owner is the value of a lock's key as text, one string for all keys that have it.
func (e *etcdStore) owner(value []byte) string {
	for _, o := range e.owners {
		if o == string(value) {
			return o
		}
	}
	e.owners = append(e.owners, string(value))
	return e.owners[len(e.owners)-1]
}

// swapToken notes a key's newest token and returns the one before.
func (e *etcdStore) swapToken(key string, token int64) (prior int64) {
	prior = e.tokens[key]
	e.tokens[key] = token
	return prior
}
