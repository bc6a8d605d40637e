package etcd

import (
	"cmp"
	"slices"
)

// Snapshot is the durable state of a cluster as of some moment. It can be restored any number of
// times, into the cluster it was taken from.
type Snapshot struct {
	store  store
	leases []lease  // that lived, sorted by id
	past   []*lease // that had ended
}

// Revision is the revision that the snapshot was taken at.
func (s *Snapshot) Revision() int64 { return s.store.rev }

// Snapshot takes a snapshot of what is there now.
func (c *Cluster) Snapshot() *Snapshot { return c.SnapshotAt(c.env.Now()) }

// SnapshotAt takes the snapshot that would have been taken at a time on the lease clock, the last
// change at exactly that time included. Before the cluster's start there was revision 1.
func (c *Cluster) SnapshotAt(at int64) *Snapshot {
	s := &Snapshot{store: c.store.asOf(c.store.revisionAt(at))}
	for _, l := range c.leases.live {
		if l.granted <= at {
			s.leases = append(s.leases, lease{id: l.id, ttl: l.ttl, granted: l.granted})
		}
	}
	for _, l := range c.leases.past {
		switch {
		case l.ended <= at:
			s.past = append(s.past, l)
		case l.granted <= at:
			s.leases = append(s.leases, lease{id: l.id, ttl: l.ttl, granted: l.granted})
		}
	}
	slices.SortFunc(s.leases, func(a, b lease) int { return cmp.Compare(a.id, b.id) })
	return s
}

// asOf copies the store without what came after a revision. Versions never change, so that both
// can share them.
func (s *store) asOf(rev int64) store {
	out := store{
		rev: rev, compacted: min(s.compacted, rev), times: s.times[:rev:rev],
		keys: make([]*history, 0, len(s.keys)),
	}
	for _, h := range s.keys {
		n := len(h.versions)
		for n > 0 && h.versions[n-1].main > rev {
			n--
		}
		if n > 0 {
			out.keys = append(out.keys, &history{key: h.key, versions: h.versions[:n:n]})
		}
	}
	return out
}

// Restore stops every node, puts the snapshot in place of its data and starts those again that
// were running. Revisions step back, leases come and go with their keys, requests stay unanswered,
// and the cluster elects a leader in a young term.
func (c *Cluster) Restore(s *Snapshot) {
	now := c.env.Now()
	for _, k := range c.waiting {
		if k.timer != nil {
			k.timer()
		}
	}
	c.waiting, c.tail, c.tailOf = nil, nil, -1
	for _, l := range c.leases.live {
		l.waiting = nil
	}
	c.forgetPretender()
	c.stopElection()
	c.forgetExpiry()
	if c.leader >= 0 {
		c.last = c.leader
	}
	c.leader, c.term = -1, 1

	was, lived := c.store, c.leases.live
	c.store = s.store.asOf(s.store.rev)
	c.leases.past = slices.Clone(s.past)
	c.leases.live = make([]*lease, len(s.leases))
	for i := range s.leases {
		l := s.leases[i]
		c.leases.live[i] = &l
	}
	for _, h := range c.store.keys {
		if v := h.at(c.store.rev); v != nil {
			c.leases.attach(v.lease, h.key)
		}
	}
	for i := range c.nodes {
		n := &c.nodes[i]
		n.applied, n.started = c.store.rev, now
		n.epoch++
	}
	c.compareRestored(&was, lived, now)
	c.settle()
	c.publish()
}

// compareRestored reports what the step back changed: keys in order, then leases in order.
func (c *Cluster) compareRestored(was *store, lived []*lease, now int64) {
	base := Change{At: now, Revision: c.store.rev}
	add := func(e Change) {
		e.Sub = base.Sub
		base.Sub++
		c.changes = append(c.changes, e)
	}
	e := base
	e.Why = StoreRestored
	add(e)

	// Every key of the snapshot is known to the store it replaces, unless that was restored to an
	// older snapshot in between: both sides are walked.
	old, next := was.keys, c.store.keys
	for len(old) > 0 || len(next) > 0 {
		var a, b *history
		switch {
		case len(next) == 0 || len(old) > 0 && old[0].key < next[0].key:
			a, old = old[0], old[1:]
		case len(old) == 0 || next[0].key < old[0].key:
			b, next = next[0], next[1:]
		default:
			a, old, b, next = old[0], old[1:], next[0], next[1:]
		}
		e := base
		e.Why = KeyRestored
		var before, after *version
		if a != nil {
			if before = a.at(was.rev); before != nil {
				e.Prior = a.state(before)
			}
			e.Key.Key = a.key
		}
		if b != nil {
			after = b.at(c.store.rev)
			e.Key = b.state(after)
		}
		if before == nil && after == nil ||
			before != nil && after != nil && before.main == after.main && string(before.value) == string(after.value) {
			continue
		}
		e.Deleted = after == nil
		e.Lease = e.Key.Lease
		if e.Deleted {
			e.Lease = e.Prior.Lease
		}
		add(e)
	}

	have := c.leases.live
	for len(lived) > 0 || len(have) > 0 {
		e := base
		switch {
		case len(have) == 0 || len(lived) > 0 && lived[0].id < have[0].id:
			e.Why, e.Lease, e.TTL = LeaseForgotten, lived[0].id, lived[0].ttl
			lived = lived[1:]
		case len(lived) == 0 || have[0].id < lived[0].id:
			e.Why, e.Lease, e.TTL = LeaseRestored, have[0].id, have[0].ttl
			have = have[1:]
		default:
			lived, have = lived[1:], have[1:]
			continue
		}
		add(e)
	}
}
