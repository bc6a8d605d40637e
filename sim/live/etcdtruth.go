package live

import (
	"strings"
	"time"

	"dlsim/history"
	"dlsim/sim/live/control"
	"dlsim/sim/truth"
	"dlsim/system/lock"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// keyTruth turns changes of the locks' keys into the truth of the history. A watch shows keys and no
// leases, so what it cannot show is put together from what else is known: a lease's time from the
// client that asked for it, and whether a key was deleted or expired from whether anybody had asked
// for its release.
type keyTruth struct {
	w      *World
	ttl    time.Duration    // of leases, unless their client was told another
	tokens map[string]int64 // the newest token of each key
	leases map[int64]*leaseTruth
	asked  map[release]bool // releases under way or done
}

// leaseTruth is one lease.
type leaseTruth struct {
	ttl     time.Duration
	expires int64 // on the world's clock; leases count from the change that the harness saw
	key     *clientv3.Event
}

type release struct {
	account string
	token   int64
}

func newKeyTruth(w *World) keyTruth {
	ttl := (w.options.System.Lock.TTL + time.Second - 1).Truncate(time.Second) // whole seconds in etcd
	return keyTruth{w: w, ttl: ttl, tokens: map[string]int64{}, leases: map[int64]*leaseTruth{}, asked: map[release]bool{}}
}

func (k *keyTruth) lease(id int64) *leaseTruth {
	l := k.leases[id]
	if l == nil {
		l = &leaseTruth{ttl: k.ttl}
		k.leases[id] = l
	}
	return l
}

// now is the clock that leases are told on: the world's time as a date.
func (k *keyTruth) now() int64 { return k.w.begun.UnixNano() + int64(time.Since(k.w.begun)) }

func (k *keyTruth) put(e *clientv3.Event) {
	if isMark(e.Kv.Key) {
		k.tellMark(e.Kv, e.PrevKv, e.Kv.ModRevision, false)
		return
	}
	l := k.lease(e.Kv.Lease)
	l.key, l.expires = e, k.now()+int64(l.ttl)
	key := string(e.Kv.Key)
	prior := k.tokens[key]
	k.tokens[key] = e.Kv.CreateRevision
	k.tell(e.Kv.Key, e.Kv.Value, truth.KeyChange{Act: truth.KeyPut, Revision: e.Kv.ModRevision,
		Token: e.Kv.CreateRevision, Prior: prior, Expires: l.expires})
}

func (k *keyTruth) deleted(e *clientv3.Event) {
	if e.PrevKv == nil {
		return
	}
	if isMark(e.PrevKv.Key) {
		k.tellMark(nil, e.PrevKv, e.Kv.ModRevision, false)
		return
	}
	l := k.lease(e.PrevKv.Lease)
	delete(k.leases, e.PrevKv.Lease)
	act := truth.KeyDeleted
	account := strings.TrimPrefix(string(e.PrevKv.Key), lock.EtcdPrefix)
	if !k.asked[release{account, e.PrevKv.CreateRevision}] && k.now() >= l.expires-int64(time.Second) {
		act = truth.KeyExpired
	}
	k.tell(e.PrevKv.Key, e.PrevKv.Value, truth.KeyChange{Act: act, Revision: e.Kv.ModRevision, Token: e.PrevKv.CreateRevision})
}

func (k *keyTruth) tell(key, owner []byte, c truth.KeyChange) {
	c.Store, c.Key, c.Owner, c.Clock = etcdName, string(key), string(owner), k.now()
	w := k.w
	w.truths = truth.AppendKey(w.truths[:0], &c, lock.EtcdPrefix)
	for i := range w.truths {
		e := w.truths[i]
		w.record(&e)
	}
}

// see notes who asks for the release of what. A release that was refused released nothing.
func (k *keyTruth) see(e *history.Event) {
	if e.Op != history.LockRelease {
		return
	}
	r := release{e.Account, e.Token}
	if e.Kind == history.Fail {
		delete(k.asked, r)
	} else {
		k.asked[r] = true
	}
}

// learn takes up what a client was told of a lease: its time, and a renewal where it has a key.
func (c *etcdCluster) learn(l *control.Lease) {
	k := &c.keys
	known := k.lease(l.ID)
	known.ttl = l.TTL
	if known.key == nil || !l.Renewed {
		return
	}
	known.expires = k.now() + int64(l.TTL)
	kv := known.key.Kv
	k.tell(kv.Key, kv.Value, truth.KeyChange{Act: truth.KeyRenewed, Revision: kv.ModRevision, Token: kv.CreateRevision, Expires: known.expires})
}
