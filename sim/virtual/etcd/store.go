package etcd

import (
	"slices"
)

// version is one state of a key: what one put or delete left behind. It never changes.
type version struct {
	main, sub int64
	created   int64
	count     int64 // puts since created
	lease     int64
	value     []byte
	deleted   bool
}

// history is every version of a key, oldest first.
type history struct {
	key      string
	versions []version
}

// at finds the key's state as of a revision, nil if it was not there.
func (h *history) at(rev int64) *version {
	for i := len(h.versions) - 1; i >= 0; i-- {
		if v := &h.versions[i]; v.main <= rev {
			if v.deleted {
				return nil
			}
			return v
		}
	}
	return nil
}

func (h *history) state(v *version) KeyValue {
	if v == nil {
		return KeyValue{Key: h.key}
	}
	return KeyValue{Key: h.key, Value: v.value, CreateRevision: v.created, ModRevision: v.main, Version: v.count, Lease: v.lease}
}

// store holds every revision of every key.
type store struct {
	keys []*history // sorted by key
	rev  int64      // current revision
	// compacted is the lowest revision that can be read.
	compacted int64
	// times holds the lease clock's reading at each revision from 1.
	times []int64
}

// find returns where a key is, or belongs.
func (s *store) find(key []byte) (i int, found bool) {
	lo, hi := 0, len(s.keys)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if s.keys[mid].key < string(key) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, lo < len(s.keys) && s.keys[lo].key == string(key)
}

// span returns the histories of [key, end). An empty end means the key alone, "\x00" everything
// from key on.
func (s *store) span(key, end []byte) []*history {
	lo, found := s.find(key)
	switch {
	case len(end) == 0:
		if !found {
			return nil
		}
		return s.keys[lo : lo+1]
	case len(end) == 1 && end[0] == 0:
		return s.keys[lo:]
	}
	hi, _ := s.find(end)
	if hi < lo {
		return nil
	}
	return s.keys[lo:hi]
}

// open returns a key's history, an empty one if the key is new.
func (s *store) open(key []byte) *history {
	i, found := s.find(key)
	if !found {
		s.keys = slices.Insert(s.keys, i, &history{key: string(key)})
	}
	return s.keys[i]
}

// revisionAt returns the revision that was current at a time.
func (s *store) revisionAt(at int64) int64 {
	i := len(s.times)
	for i > 1 && s.times[i-1] > at {
		i--
	}
	return int64(i)
}

// writing is one transaction that may change the store. It sees its own changes.
type writing struct {
	c     *Cluster
	begin int64
	subs  int64
	now   int64
}

func (c *Cluster) write() writing {
	return writing{c: c, begin: c.store.rev, now: c.env.Now()}
}

// rev is the revision that reads inside the transaction see.
func (w *writing) rev() int64 {
	if w.subs > 0 {
		return w.begin + 1
	}
	return w.begin
}

// put stores a version that keeps value: the caller gives it away.
func (w *writing) put(key, value []byte, lease int64) {
	h := w.c.store.open(key)
	prior := h.at(w.begin + 1)
	v := version{main: w.begin + 1, sub: w.subs, created: w.begin + 1, count: 1, lease: lease, value: value}
	var was KeyValue
	var attached int64
	if prior != nil {
		was = h.state(prior)
		v.created, v.count = prior.created, prior.count+1
		attached = prior.lease
	}
	h.versions = append(h.versions, v)
	w.subs++
	if attached != lease {
		w.c.leases.detach(attached, h.key)
		w.c.leases.attach(lease, h.key)
	}
	w.c.changes = append(w.c.changes, Change{
		Why: KeyPut, At: w.now, Revision: v.main, Sub: v.sub,
		Key: h.state(&v), Prior: was, Lease: lease,
	})
}

// deleteRange deletes what is there of [key, end) and returns how much that was.
func (w *writing) deleteRange(key, end []byte, why Why) int64 {
	rev, n := w.rev(), int64(0)
	for _, h := range w.c.store.span(key, end) {
		prior := h.at(rev)
		if prior == nil {
			continue
		}
		n++
		was := h.state(prior)
		h.versions = append(h.versions, version{main: w.begin + 1, sub: w.subs, deleted: true})
		w.c.changes = append(w.c.changes, Change{
			Why: why, At: w.now, Revision: w.begin + 1, Sub: w.subs,
			Key: KeyValue{Key: h.key}, Deleted: true, Prior: was, Lease: was.Lease,
		})
		w.subs++
		w.c.leases.detach(was.Lease, h.key)
	}
	return n
}

// end makes the transaction's revision current if it changed anything.
func (w *writing) end() {
	if w.subs > 0 {
		w.c.store.rev = w.begin + 1
		w.c.store.times = append(w.c.store.times, w.now)
	}
}
