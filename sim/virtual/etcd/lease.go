package etcd

import (
	"cmp"
	"math"
	"slices"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
)

const (
	maxLeaseTTL = 9_000_000_000 // seconds

	// The leader looks for expired leases this often, and revokes at most so many at once.
	expiryCheck    = 500 * time.Millisecond
	revokesAtATime = 500
)

// lease is a time to live, and the keys that go when it ends.
type lease struct {
	id, ttl int64
	expires int64    // on the lease clock; 0 while no leader counts it
	keys    []string // sorted
	granted int64    // when, on the lease clock
	ended   int64    // when; 0 while it lives
	// waiting are keepalives that came after the lease had expired and before it was revoked.
	waiting []*call
}

func (l *lease) expired(now int64) bool { return l.expires != 0 && l.expires <= now }

// leaseTable holds the leases that live, and remembers those that do not.
type leaseTable struct {
	live []*lease // sorted by id
	past []*lease // in order of ending
	next int64    // next id to draw
}

func (t *leaseTable) index(id int64) (int, bool) {
	if n := len(t.live); n == 0 || t.live[n-1].id < id { // ids are drawn in rising order
		return n, false
	}
	return slices.BinarySearchFunc(t.live, id, func(l *lease, id int64) int { return cmp.Compare(l.id, id) })
}

func (t *leaseTable) find(id int64) *lease {
	if i, found := t.index(id); found {
		return t.live[i]
	}
	return nil
}

func (t *leaseTable) attach(id int64, key string) {
	if id == 0 {
		return
	}
	l := t.find(id)
	if i, found := slices.BinarySearch(l.keys, key); !found {
		l.keys = slices.Insert(l.keys, i, key)
	}
}

func (t *leaseTable) detach(id int64, key string) {
	l := t.find(id)
	if l == nil {
		return
	}
	if i, found := slices.BinarySearch(l.keys, key); found {
		l.keys = slices.Delete(l.keys, i, i+1)
	}
}

// due is when a lease of so many seconds expires that is counted from now.
func due(now, ttl int64, extend time.Duration) int64 {
	if ttl > (math.MaxInt64-now-int64(extend))/int64(time.Second) {
		return math.MaxInt64
	}
	return now + int64(extend) + ttl*int64(time.Second)
}

func (c *Cluster) grant(r *pb.LeaseGrantRequest) (*pb.LeaseGrantResponse, error) {
	id := r.ID
	if id == 0 {
		id = c.leases.next
		if c.leases.next++; c.leases.next <= 0 {
			c.leases.next = 1
		}
	}
	if r.TTL > maxLeaseTTL {
		return nil, rpctypes.ErrGRPCLeaseTTLTooLarge
	}
	i, found := c.leases.index(id)
	if found {
		return nil, rpctypes.ErrGRPCLeaseExist
	}
	now := c.env.Now()
	l := &lease{id: id, ttl: max(r.TTL, c.minTTL), granted: now}
	l.expires = due(now, l.ttl, 0)
	c.leases.live = slices.Insert(c.leases.live, i, l)
	c.leaseChanged(LeaseGranted, l, now)
	c.expectExpiry(l.expires)
	return &pb.LeaseGrantResponse{Header: &pb.ResponseHeader{Revision: c.store.rev}, ID: l.id, TTL: l.ttl}, nil
}

func (c *Cluster) revoke(r *pb.LeaseRevokeRequest) (*pb.LeaseRevokeResponse, error) {
	l := c.leases.find(r.ID)
	if l == nil {
		return nil, rpctypes.ErrGRPCLeaseNotFound
	}
	c.end(l, KeyRevoked, LeaseRevoked)
	return &pb.LeaseRevokeResponse{Header: &pb.ResponseHeader{Revision: c.store.rev}}, nil
}

// end deletes a lease and its keys, all in one revision; no keys, no revision.
func (c *Cluster) end(l *lease, key, whole Why) {
	w := c.write()
	for _, k := range slices.Clone(l.keys) {
		w.deleteRange([]byte(k), nil, key)
	}
	w.end()
	i, _ := c.leases.index(l.id)
	c.leases.live = slices.Delete(c.leases.live, i, i+1)
	c.leases.past = append(c.leases.past, l)
	l.ended = w.now
	c.leaseChanged(whole, l, w.now)
	waiting := l.waiting
	l.waiting = nil
	for _, k := range waiting {
		resp := k.early.(*pb.LeaseKeepAliveResponse)
		c.later = append(c.later, func() { c.answer(k, resp, nil) })
	}
}

func (c *Cluster) leaseChanged(why Why, l *lease, now int64) {
	c.changes = append(c.changes, Change{
		Why: why, At: now, Revision: c.store.rev, Lease: l.id, TTL: l.ttl, Expires: l.expires,
	})
}

// keepAlive renews a lease by the leader's memory. It reports false if k has to wait for the end of
// a lease that has expired.
func (c *Cluster) keepAlive(k *call) bool {
	id := k.req.(*pb.LeaseKeepAliveRequest).ID
	// The header is filled before the lease is looked at, so that its revision is never later than
	// the renewal.
	resp := &pb.LeaseKeepAliveResponse{Header: c.header(k.node, 0), ID: id}
	l := c.leases.find(id)
	if l == nil {
		c.answer(k, resp, nil)
		return true
	}
	now := c.env.Now()
	if l.expired(now) {
		k.early = resp
		l.waiting = append(l.waiting, k)
		return false
	}
	resp.TTL = l.ttl
	if c.leader >= 0 && k.node == c.pretender {
		// Deposed without knowing it: it promises what is not its own to give. The new leader's
		// extension covers the promise.
		c.answer(k, resp, nil)
		return true
	}
	l.expires = due(now, l.ttl, 0)
	c.leaseChanged(LeaseRenewed, l, now)
	c.expectExpiry(l.expires)
	c.publish()
	c.answer(k, resp, nil)
	return true
}

func (c *Cluster) timeToLive(node int, r *pb.LeaseTimeToLiveRequest) *pb.LeaseTimeToLiveResponse {
	resp := &pb.LeaseTimeToLiveResponse{Header: c.header(node, 0), ID: r.ID, TTL: -1}
	l := c.leases.find(r.ID)
	if l == nil {
		return resp
	}
	resp.GrantedTTL = l.ttl
	resp.TTL = (l.expires - c.env.Now()) / int64(time.Second) // toward zero, as the server rounds
	if r.Keys {
		resp.Keys = make([][]byte, len(l.keys))
		for i, k := range l.keys {
			resp.Keys[i] = []byte(k)
		}
	}
	return resp
}

func (c *Cluster) listLeases(node int) *pb.LeaseLeasesResponse {
	resp := &pb.LeaseLeasesResponse{Header: c.header(node, 0), Leases: make([]*pb.LeaseStatus, len(c.leases.live))}
	live := c.leases.live
	if node == c.leader { // only the leader knows which expires first
		live = slices.Clone(live)
		slices.SortStableFunc(live, func(a, b *lease) int { return cmp.Compare(a.expires, b.expires) })
	}
	for i, l := range live {
		resp.Leases[i] = &pb.LeaseStatus{ID: l.id}
	}
	return resp
}

// suspend stops counting: no leader, no expiry. Keepalives that waited for an end look for the next
// leader.
func (c *Cluster) suspend() {
	for _, l := range c.leases.live {
		l.expires = 0
		for _, k := range l.waiting {
			c.seekLeader(k)
		}
		l.waiting = nil
	}
	c.forgetExpiry()
}

// extend is what a new leader does with the leases it finds.
func (c *Cluster) extend() {
	now := c.env.Now()
	for _, l := range c.leases.live {
		l.expires = due(now, l.ttl, c.election)
		c.leaseChanged(LeaseExtended, l, now)
		c.expectExpiry(l.expires)
	}
}

// expectExpiry has the leader's check run at the first beat at or after a time.
func (c *Cluster) expectExpiry(at int64) {
	if c.leader < 0 || at == math.MaxInt64 {
		return
	}
	first := c.nodes[c.leader].started
	beat := first + (at-first+int64(expiryCheck)-1)/int64(expiryCheck)*int64(expiryCheck)
	if c.checkCancel != nil {
		if c.checkAt <= beat {
			return
		}
		c.checkCancel()
	}
	c.checkAt = beat
	c.checkCancel = c.env.After(max(time.Duration(beat-c.env.Now()), 1), c.checkLeases)
}

func (c *Cluster) forgetExpiry() {
	if c.checkCancel != nil {
		c.checkCancel()
		c.checkCancel = nil
	}
}

func (c *Cluster) checkLeases() {
	c.checkCancel = nil
	now := c.env.Now()
	if now < c.checkAt { // the lease clock runs slower than the timer
		c.checkCancel = c.env.After(time.Duration(c.checkAt-now), c.checkLeases)
		return
	}
	c.expired = c.expired[:0]
	earliest := int64(math.MaxInt64)
	for _, l := range c.leases.live {
		if l.expired(now) {
			c.expired = append(c.expired, l)
		} else if l.expires != 0 {
			earliest = min(earliest, l.expires)
		}
	}
	slices.SortStableFunc(c.expired, func(a, b *lease) int { return cmp.Compare(a.expires, b.expires) })
	if len(c.expired) > revokesAtATime {
		c.expired = c.expired[:revokesAtATime]
		earliest = now + 1
	}
	for _, l := range c.expired {
		c.end(l, KeyExpired, LeaseExpired)
	}
	clear(c.expired)
	c.expectExpiry(earliest)
	c.publish()
}
