package etcd

import (
	"fmt"
	"strings"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
)

// chaos makes steps at random and notes everything that happens.
type chaos struct {
	t     *testing.T
	env   *bench
	c     *Cluster
	state uint64
	log   strings.Builder
	// promised is until when a lease was promised to live, as keepalives were answered.
	promised map[int64]int64
	restored bool
	expiries int
}

func (x *chaos) pick(n uint64) uint64 {
	x.state = x.state*6364136223846793005 + 1442695040888963407
	return x.state >> 33 % n
}

func (x *chaos) send(node int, req any) {
	answered, epoch := false, x.c.nodes[node].epoch
	x.c.Handle(node, req, func(resp any, err error) {
		fmt.Fprintln(&x.log, x.env.now, node, plain(resp, err))
		if answered {
			x.t.Error("answered twice", req)
		}
		answered = true
		if !x.c.Up(node) || x.c.nodes[node].epoch != epoch {
			x.t.Error("answered by a node that was down in between", req)
		}
		if err != nil {
			return
		}
		switch r := resp.(type) {
		case *pb.PutResponse:
			p := req.(*pb.PutRequest)
			h, v := x.c.store.read(p.Key, r.Header.Revision)
			if v == nil || v.main != r.Header.Revision || string(v.value) != string(p.Value) {
				x.t.Errorf("acknowledged %v at %d, but there is %+v of %+v", p, r.Header.Revision, v, h)
			}
		case *pb.LeaseGrantResponse:
			x.promised[r.ID] = 0
		case *pb.LeaseKeepAliveResponse:
			if r.TTL > 0 {
				x.promised[r.ID] = x.env.Now() + r.TTL*int64(time.Second)
			}
		}
	})
}

func (x *chaos) changed(c Change) {
	fmt.Fprintf(&x.log, "%d %v %d.%d %s %x\n", x.env.now, c.Why, c.Revision, c.Sub, c.Key.Key, c.Lease)
	if c.Why == LeaseExpired {
		x.expiries++
		if c.At < x.promised[c.Lease] && !x.restored {
			x.t.Errorf("lease %x expired %v before its keepalive had promised", c.Lease, time.Duration(x.promised[c.Lease]-c.At))
		}
	}
}

func (x *chaos) step(restores bool) {
	node := int(x.pick(uint64(len(x.c.nodes))))
	lease := int64(1 + x.pick(4))
	key := []byte{'a' + byte(x.pick(4))}
	switch n := x.pick(40); {
	case n < 8:
		put := &pb.PutRequest{Key: key, Value: []byte(fmt.Sprint(x.pick(1000)))}
		if x.pick(2) == 0 {
			put.Lease = lease
		}
		x.send(node, put)
	case n < 11:
		x.send(node, &pb.RangeRequest{Key: key, Serializable: x.pick(2) == 0})
	case n < 14:
		x.send(node, &pb.LeaseGrantRequest{ID: lease, TTL: int64(2 + x.pick(3))})
	case n < 20:
		x.send(node, &pb.LeaseKeepAliveRequest{ID: lease})
	case n < 21:
		x.send(node, &pb.LeaseTimeToLiveRequest{ID: lease})
	case n < 22:
		x.send(node, &pb.DeleteRangeRequest{Key: key})
	case n < 23:
		x.c.StopNode(node)
	case n < 26:
		x.c.StartNode(node)
	case n < 27:
		x.c.SetReachable(node, false)
	case n < 30:
		x.c.SetReachable(node, true)
	case n < 31:
		x.c.LoseLeader()
	case n < 32 && restores:
		x.restored = true
		x.c.Restore(x.c.SnapshotAt(x.env.Now() - int64(x.pick(5000))*int64(time.Millisecond)))
	default:
		x.env.advance(time.Duration(x.pick(600)) * time.Millisecond)
	}
	fmt.Fprintln(&x.log, x.env.now, "leader", x.c.Leader(), "revision", x.c.Revision())
}

func runChaos(t *testing.T, seed uint64, restores bool) *chaos {
	x := &chaos{t: t, env: newBench(), state: seed, promised: map[int64]int64{}}
	x.env.lags[1] = 300 * time.Millisecond
	x.env.onChange = x.changed
	x.env.onElection = func() time.Duration { return time.Duration(100+x.pick(1200)) * time.Millisecond }
	nodes := 1 + int(seed%5)
	x.c = NewCluster(x.env, nodes)
	for range 400 {
		x.step(restores)
	}
	for node := range nodes {
		x.c.StartNode(node)
		x.c.SetReachable(node, true)
	}
	x.env.advance(30 * time.Second)
	if n := len(x.c.waiting) + len(x.c.tail); n != 0 {
		t.Errorf("%d requests still wait in a healthy cluster", n)
	}
	if len(x.c.leases.live) != 0 {
		t.Errorf("%d leases outlived everybody", len(x.c.leases.live))
	}
	for node := range nodes {
		handle(t, x.c, node, &pb.PutRequest{Key: []byte("end")})
	}
	return x
}

func TestWhateverGoesWrongNothingAcknowledgedIsBroken(t *testing.T) {
	expiries := 0
	for _, restores := range []bool{false, true} {
		for seed := range uint64(150) {
			x := runChaos(t, seed, restores)
			expiries += x.expiries
			if again := runChaos(t, seed, restores); again.log.String() != x.log.String() {
				t.Errorf("seed %d runs differently the second time", seed)
			}
			if t.Failed() {
				t.Fatalf("seed %d, restores %v", seed, restores)
			}
		}
	}
	if expiries < 1000 {
		t.Errorf("only %d leases expired: this proves little", expiries)
	}
}
