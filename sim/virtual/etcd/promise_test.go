package etcd

import (
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
)

// A leader that is cut off goes on promising for one election time-out, and another can be elected
// before that has passed.
func TestTheNewLeaderKeepsWhatTheOldOnePromisedAfterItsElection(t *testing.T) {
	b := newBench()
	b.elections = 200 * time.Millisecond
	c := NewCluster(b, 3)
	handle(t, c, 0, &pb.LeaseGrantRequest{ID: 1, TTL: 2})
	c.SetReachable(0, false)
	b.advance(900 * time.Millisecond)
	if c.Leader() != 1 {
		t.Fatalf("leader %d", c.Leader())
	}
	resp, err := handle(t, c, 0, &pb.LeaseKeepAliveRequest{ID: 1})
	if err != nil || resp.(*pb.LeaseKeepAliveResponse).TTL != 2 {
		t.Fatal(resp, err)
	}
	promised := b.Now() + int64(2*time.Second)
	b.advance(10 * time.Second)
	last := b.changes[len(b.changes)-1]
	if last.Why != LeaseExpired || last.At < promised {
		t.Errorf("promised until %d: %+v", promised, last)
	}
}

func TestAKeepaliveThatWaitedAtADeposedLeaderIsServedByTheNewOne(t *testing.T) {
	b := newBench()
	b.elections = 200 * time.Millisecond
	c := NewCluster(b, 3)
	handle(t, c, 0, &pb.LeaseGrantRequest{ID: 1, TTL: 2})
	b.advance(1900 * time.Millisecond)
	c.SetReachable(0, false)
	b.advance(150 * time.Millisecond)
	ttl := int64(-1)
	c.Handle(0, &pb.LeaseKeepAliveRequest{ID: 1}, func(resp any, err error) {
		if err != nil {
			t.Fatal(err)
		}
		ttl = resp.(*pb.LeaseKeepAliveResponse).TTL
	})
	if ttl != -1 {
		t.Fatal("the lease has expired: it should wait")
	}
	b.advance(500 * time.Millisecond) // elected meanwhile
	c.SetReachable(0, true)
	b.advance(time.Second)
	if ttl != 2 {
		t.Errorf("ttl %d", ttl)
	}
}
