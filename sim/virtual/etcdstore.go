package virtual

import (
	"context"
	"errors"
	"strconv"
	"time"

	"dlsim/sim"
	"dlsim/sim/virtual/etcd"
	"dlsim/sim/virtual/sched"

	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// etcdAlias is the name by which link faults mean every node of the cluster.
const etcdAlias = "etcd"

// etcdStore is the etcd cluster beneath the lock service. It is the model's environment; the
// lease clock is the first node's.
type etcdStore struct {
	w       *World
	nodes   []*machine
	cluster *etcd.Cluster
	leases  []leaseTruth
	tokens  map[string]int64 // the newest token of each lock
	owners  []string         // that locks' keys have named
}

func (w *World) newEtcd(nodes int) *etcdStore {
	e := &etcdStore{w: w, tokens: map[string]int64{}}
	for i := range nodes {
		m := w.newMachine("etcd-"+strconv.Itoa(i+1), "")
		m.alias = etcdAlias
		m.node.Start()
		e.nodes = append(e.nodes, m)
		w.topology.Stores = append(w.topology.Stores, sim.Store{Name: m.name, Kind: sim.Etcd})
	}
	e.cluster = etcd.NewClusterWith(e, etcd.Options{Nodes: nodes, Seed: w.options.Seed})
	return e
}

// Now is the lease clock.
func (e *etcdStore) Now() int64 { return e.nodes[0].clock.monotonic(e.w.sched.Now()) }

// After is a timer of the cluster as a whole: which nodes take part is the cluster's own state.
func (e *etcdStore) After(d time.Duration, f func()) (cancel func()) {
	s := e.w.sched
	t := s.After(e.nodes[0].clock.trueTime(int64(d)), nil, f)
	return func() { s.Stop(t) }
}

// Election takes between one and two election timeouts.
func (e *etcdStore) Election() time.Duration {
	return time.Second + time.Duration(e.nodes[0].node.Draw(sched.Election, uint64(time.Second)))
}

// Lag is how far a follower trails, mostly a heartbeat's worth.
func (e *etcdStore) Lag(node int) time.Duration {
	return time.Duration(e.nodes[node].node.Draw(sched.FollowerLag, uint64(150*time.Millisecond)))
}

// index is a node's place in the cluster, or -1.
func (e *etcdStore) index(m *machine) int {
	if e != nil {
		for i, n := range e.nodes {
			if n == m {
				return i
			}
		}
	}
	return -1
}

func (h *host) etcdClient() (clientv3.KV, clientv3.Lease) {
	if h.w.etcd == nil {
		panic("virtual: " + h.name + " asks for etcd, which this topology lacks")
	}
	w := etcdWire{h}
	return etcd.NewKV(w), etcd.NewLease(w)
}

// etcdWire sends each request to a node drawn for it, as a client balancing over all endpoints.
type etcdWire struct{ h *host }

// rpc is one request to etcd and its answer.
type rpc struct {
	wire    wire
	store   *etcdStore
	node    int
	req     any
	waiting parked
	resp    any // the server's answer, the client's once done
	err     error
	done    bool
	left    bool

	generation uint32 // the server's, when the request arrived
	reply      func(resp any, err error)
}

// Call carries one request. Failures on the way are gRPC status errors, as a client sees them.
func (c etcdWire) Call(ctx context.Context, req any) (any, error) {
	h := c.h
	t := h.enter()
	if err := ctx.Err(); err != nil {
		return nil, grpcContext(err)
	}
	e := h.w.etcd
	node := int(h.node.Draw(sched.Endpoint, uint64(len(e.nodes))))
	r := h.w.cache.rpcs.Used()
	if r.reply == nil {
		r.reply = r.served // made once for the memory and kept from run to run
	}
	*r = rpc{store: e, node: node, req: req, waiting: parked{t, t.Turn()}, reply: r.reply}
	r.wire = h.w.net.wire(h.machine, e.nodes[node])
	h.w.net.send(r, &r.wire, request, nil)
	err := park(t, ctx)
	t.Alive()
	if !r.done {
		r.left = true
		return nil, grpcContext(err)
	}
	h.leave(t)
	return r.resp, r.err
}

func grpcContext(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return status.Error(codes.DeadlineExceeded, "context deadline exceeded")
	}
	return status.Error(codes.Canceled, "context canceled")
}

var (
	errEtcdRefused = status.Error(codes.Unavailable, "connection error: desc = \"transport: Error while dialing: dial tcp: connect: connection refused\"")
	errEtcdReset   = status.Error(codes.Unavailable, "error reading from server: read: connection reset by peer")
)

func (r *rpc) arrive(m *message) {
	switch m.kind {
	case request:
		server := r.wire.server
		if !server.node.Up() {
			r.store.w.net.send(r, &r.wire, refuse, errEtcdRefused)
			return
		}
		r.generation = server.node.Generation()
		r.store.cluster.Handle(r.node, r.req, r.reply)
	case response:
		r.finish(r.resp, r.err)
	case refuse:
		r.finish(nil, m.payload.(error))
	}
}

// served is the node's answer, once.
func (r *rpc) served(resp any, err error) {
	if r.done || r.wire.server.node.Generation() != r.generation {
		return
	}
	r.resp, r.err = resp, err
	r.store.w.net.send(r, &r.wire, response, nil)
}

func (r *rpc) broken(*message) { r.finish(nil, errEtcdReset) }

func (r *rpc) finish(resp any, err error) {
	if r.done || r.left {
		return
	}
	r.done, r.resp, r.err = true, resp, err
	r.waiting.task.Resume(r.waiting.turn)
}

// stop ends one node at once; requests it has not answered stay unanswered until their deadline.
func (e *etcdStore) stop(i int) {
	e.nodes[i].node.Kill()
	e.cluster.StopNode(i)
}

func (e *etcdStore) start(i int) {
	e.nodes[i].node.Start()
	e.cluster.StartNode(i)
}
