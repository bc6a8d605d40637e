package etcd

import (
	"fmt"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
)

// node is one member.
type node struct {
	up      bool
	reaches bool   // its peers
	epoch   uint64 // counts its lives, so that an answer of an earlier one is not sent
	started int64  // on the lease clock: the phase of its checks for expired leases
	applied int64  // highest revision it has shown
}

// Cluster is one etcd cluster. It is not safe for concurrent use. A nil error of a reply comes with
// the response that belongs to the request; errors are gRPC status errors, as a server sends them.
type Cluster struct {
	env    Env
	store  store
	leases leaseTable
	nodes  []node
	term   uint64

	election, timeout time.Duration
	minTTL            int64

	// leader has a quorum; -1 is none. pretender has lost it and does not know yet; -1 is none.
	leader, pretender int
	last              int    // who led last
	electing          func() // cancels the election under way
	stepDown          func() // cancels the pretender's awakening
	waiting           []*call
	held              int64   // requests that had to wait
	tail              []*call // what the last leader took and nobody else has
	tailOf            int     // who holds it

	checkAt     int64  // when the leader looks for expired leases next
	checkCancel func() // nil if it need not

	changes    []Change // applied, not told yet
	publishing bool
	later      []func() // answers that wait for that

	path    []bool   // scratch of txn
	expired []*lease // scratch of checkLeases
}

// NewCluster returns a cluster of healthy nodes, numbered from 0, that is led by node 0, at
// revision 1.
func NewCluster(env Env, nodes int) *Cluster {
	return NewClusterWith(env, Options{Nodes: nodes})
}

// NewClusterWith is NewCluster with options.
func NewClusterWith(env Env, o Options) *Cluster {
	if o.Nodes == 0 {
		o.Nodes = 1
	}
	if o.Election == 0 {
		o.Election = 10 * Tick
	}
	now := env.Now()
	c := &Cluster{
		env: env, nodes: make([]node, o.Nodes), term: 2, pretender: -1, tailOf: -1,
		election: o.Election, timeout: 5*time.Second + 2*o.Election,
	}
	minTTL := time.Duration(3*int64(o.Election/Tick)/2) * Tick
	c.minTTL = int64((minTTL + time.Second - 1) / time.Second)
	for i := range c.nodes {
		c.nodes[i] = node{up: true, reaches: true, started: now, applied: 1}
	}
	c.store.rev, c.store.compacted = 1, -1
	c.store.times = append(make([]int64, 0, 64), now)
	c.leases.next = firstLease(o.Seed)
	return c
}

// firstLease spreads seeds over the upper half of the positive numbers, with room to count up
// from, so that ids look as long as the real ones.
func firstLease(seed uint64) int64 {
	seed = (seed ^ seed>>30) * 0xbf58476d1ce4e5b9
	seed = (seed ^ seed>>27) * 0x94d049bb133111eb
	seed ^= seed >> 31
	return int64(1<<62 | seed>>3&^0xffff | 1)
}

// Leader is the node that leads with a quorum, or -1.
func (c *Cluster) Leader() int { return c.leader }

// Term is the raft term.
func (c *Cluster) Term() uint64 { return c.term }

// Revision is the store's current revision.
func (c *Cluster) Revision() int64 { return c.store.rev }

// Each calls f with every key that is there, in order. f must not modify the values' bytes.
func (c *Cluster) Each(f func(KeyValue)) {
	for _, h := range c.store.keys {
		if v := h.at(c.store.rev); v != nil {
			f(h.state(v))
		}
	}
}

// call is a request that could not be answered at once.
type call struct {
	node  int
	epoch uint64
	req   any
	reply func(resp any, err error)
	since int64
	polls int
	early any // response prepared before the wait
	timer func()
	done  bool
}

// Handle serves one request that has reached a node. It calls reply at once if it can, later if the
// request has to wait for a leader or for a lease's end, and never if the node is down or goes down
// before it has answered. What it passes to reply shares no memory with the cluster. The request
// must not be modified until it is answered.
func (c *Cluster) Handle(node int, req any, reply func(resp any, err error)) {
	n := &c.nodes[node]
	if !n.up {
		return
	}
	if err := check(req); err != nil {
		reply(nil, err)
		return
	}
	led := c.led(node)
	how := mannerOf(req)
	if how == locally || led && how == confirmed {
		// A node that waits until it is current has shown the current revision.
		if how == confirmed {
			n.applied = c.store.rev
		}
		reply(c.serve(node, req))
		return
	}
	if how == proposed && led && !tooLarge(req) {
		epoch := n.epoch
		resp, err := c.serve(node, req)
		c.publish()
		if n.up && n.epoch == epoch {
			n.applied = max(n.applied, min(c.store.rev, headerOf(resp)))
			reply(resp, err)
		}
		return
	}
	c.hold(&call{node: node, epoch: n.epoch, req: req, reply: reply, since: c.env.Now()}, how)
}

// headerOf is the revision that a response to a proposal shows; 0 for none.
func headerOf(resp any) int64 {
	if h, ok := resp.(interface{ GetHeader() *pb.ResponseHeader }); ok {
		return h.GetHeader().GetRevision()
	}
	return 0
}

// serve does what a request asks for, without asking whether it may.
func (c *Cluster) serve(node int, req any) (resp any, err error) {
	var h *pb.ResponseHeader
	switch r := req.(type) {
	case *pb.RangeRequest:
		var out *pb.RangeResponse
		if out, err = c.store.readRange(c.shown(node), r); err == nil {
			resp, h = out, out.Header
		}
	case *pb.TxnRequest:
		rev := c.store.rev
		if readOnly, _ := kindOf(r); readOnly {
			rev = c.shown(node)
		}
		var out *pb.TxnResponse
		if out, err = c.txn(rev, r); err == nil {
			resp, h = out, out.Header
		}
	case *pb.PutRequest:
		var out *pb.PutResponse
		if out, err = c.put(r); err == nil {
			resp, h = out, out.Header
		}
	case *pb.DeleteRangeRequest:
		out := c.deleteRange(r)
		resp, h = out, out.Header
	case *pb.CompactionRequest:
		var out *pb.CompactionResponse
		if out, err = c.compact(r); err == nil {
			resp, h = out, out.Header
		}
	case *pb.LeaseGrantRequest:
		var out *pb.LeaseGrantResponse
		if out, err = c.grant(r); err == nil {
			resp, h = out, out.Header
		}
	case *pb.LeaseRevokeRequest:
		var out *pb.LeaseRevokeResponse
		if out, err = c.revoke(r); err == nil {
			resp, h = out, out.Header
		}
	case *pb.LeaseTimeToLiveRequest:
		return c.timeToLive(node, r), nil
	case *pb.LeaseLeasesRequest:
		return c.listLeases(node), nil
	default:
		panic(fmt.Sprintf("etcd: %T passed the checks but cannot be served", req))
	}
	if err != nil {
		return nil, err
	}
	c.sign(node, h)
	return resp, nil
}

const clusterID = 0xcdf818194e3a8c32

// header is a header of a node's own, at a revision or, with 0, at what the node has applied.
func (c *Cluster) header(node int, rev int64) *pb.ResponseHeader {
	if rev == 0 {
		rev = c.shown(node)
	}
	h := &pb.ResponseHeader{Revision: rev}
	c.sign(node, h)
	return h
}

func (c *Cluster) sign(node int, h *pb.ResponseHeader) {
	h.ClusterId, h.MemberId, h.RaftTerm = clusterID, memberID(node), c.term
}

func memberID(node int) uint64 { return 0x8e9e05c52164694d + uint64(node) }

// shown is the revision that a node serves when nobody asks it to be current. It never goes back.
func (c *Cluster) shown(node int) int64 {
	n := &c.nodes[node]
	switch {
	case node == c.leader:
		n.applied = c.store.rev
	case n.up && n.reaches:
		n.applied = max(n.applied, c.store.revisionAt(c.env.Now()-int64(c.env.Lag(node))))
	}
	return n.applied
}

// publish tells the world what has been applied, then sends the answers that waited for that.
func (c *Cluster) publish() {
	if c.publishing { // Env does something from inside Changed: the outer loop comes by
		return
	}
	c.publishing = true
	for i := 0; i < len(c.changes); i++ {
		c.env.Changed(c.changes[i])
	}
	clear(c.changes)
	c.changes = c.changes[:0]
	c.publishing = false
	for len(c.later) > 0 {
		f := c.later[0]
		c.later = c.later[1:]
		f()
	}
}
