package etcd

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc/status"
)

func rangeOp(r *pb.RangeRequest) *pb.RequestOp {
	return &pb.RequestOp{Request: &pb.RequestOp_RequestRange{RequestRange: r}}
}

func putOp(r *pb.PutRequest) *pb.RequestOp {
	return &pb.RequestOp{Request: &pb.RequestOp_RequestPut{RequestPut: r}}
}

func deleteOp(r *pb.DeleteRangeRequest) *pb.RequestOp {
	return &pb.RequestOp{Request: &pb.RequestOp_RequestDeleteRange{RequestDeleteRange: r}}
}

func txnOp(r *pb.TxnRequest) *pb.RequestOp {
	return &pb.RequestOp{Request: &pb.RequestOp_RequestTxn{RequestTxn: r}}
}

var identity = regexp.MustCompile(`cluster_id:\d+ member_id:\d+ `)

// plain is a response as text, without the identity of whoever gave it.
func plain(resp any, err error) string {
	if err != nil {
		return fmt.Sprintf("%v: %s", status.Code(err), status.Convert(err).Message())
	}
	return identity.ReplaceAllString(strings.Join(strings.Fields(fmt.Sprint(resp)), " "), "")
}

func handle(t *testing.T, c *Cluster, node int, req any) (resp any, err error) {
	t.Helper()
	answered := false
	c.Handle(node, req, func(r any, e error) { answered, resp, err = true, r, e })
	if !answered {
		t.Fatalf("%T %v was not answered at once", req, req)
	}
	return resp, err
}

// The answers were taken from a real etcd 3.7.3, started empty and asked the same, in this order.
func TestAnswersAreThoseOfARealServer(t *testing.T) {
	b := func(s string) []byte { return []byte(s) }
	all, grant := b("\x00"), func(id, ttl int64) *pb.LeaseGrantRequest { return &pb.LeaseGrantRequest{ID: id, TTL: ttl} }
	facts := []struct {
		name string
		req  any
		want string
	}{
		{"an empty store is at revision 1", &pb.RangeRequest{Key: b("a")}, "header:{revision:1 raft_term:2}"},
		{"the first put has no previous value", &pb.PutRequest{Key: b("a"), Value: b("1"), PrevKv: true}, "header:{revision:2 raft_term:2}"},
		{"a negative TTL becomes the minimum", grant(95, -5), "header:{revision:2 raft_term:2} ID:95 TTL:2"},
		{"a zero TTL becomes the minimum", grant(100, 0), "header:{revision:2 raft_term:2} ID:100 TTL:2"},
		{"one second becomes the minimum", grant(101, 1), "header:{revision:2 raft_term:2} ID:101 TTL:2"},
		{"the minimum is two seconds", grant(102, 2), "header:{revision:2 raft_term:2} ID:102 TTL:2"},
		{"above it a TTL is kept", grant(103, 3), "header:{revision:2 raft_term:2} ID:103 TTL:3"},
		{"the largest TTL", grant(9000000100, 9000000000), "header:{revision:2 raft_term:2} ID:9000000100 TTL:9000000000"},
		{"a larger one", grant(9000000101, 9000000001), "OutOfRange: etcdserver: too large lease TTL"},
		{"a lease with a given id", grant(7, 100), "header:{revision:2 raft_term:2} ID:7 TTL:100"},
		{"an id that is taken", grant(7, 100), "FailedPrecondition: etcdserver: lease already exists"},
		{"a negative id", grant(-7, 100), "header:{revision:2 raft_term:2} ID:-7 TTL:100"},
		{"a put with a lease", &pb.PutRequest{Key: b("c"), Value: b("x"), Lease: 7}, "header:{revision:3 raft_term:2}"},
		{"another", &pb.PutRequest{Key: b("b"), Value: b("y"), Lease: 7}, "header:{revision:4 raft_term:2}"},
		{"a put with a lease that is not there", &pb.PutRequest{Key: b("z"), Lease: 99}, "NotFound: etcdserver: requested lease not found"},
		{"keys only carries no lease", &pb.RangeRequest{Key: all, RangeEnd: all, KeysOnly: true},
			`header:{revision:4 raft_term:2} kvs:{key:"a" create_revision:2 mod_revision:2 version:1} kvs:{key:"b" create_revision:4 mod_revision:4 version:1} kvs:{key:"c" create_revision:3 mod_revision:3 version:1} count:3`},
		{"unless sorted by value", &pb.RangeRequest{Key: all, RangeEnd: all, KeysOnly: true, SortTarget: pb.RangeRequest_VALUE},
			`header:{revision:4 raft_term:2} kvs:{key:"a" create_revision:2 mod_revision:2 version:1} kvs:{key:"c" create_revision:3 mod_revision:3 version:1 lease:7} kvs:{key:"b" create_revision:4 mod_revision:4 version:1 lease:7} count:3`},
		{"a limit comes before sorting without an order", &pb.RangeRequest{Key: all, RangeEnd: all, SortTarget: pb.RangeRequest_VALUE, Limit: 1},
			`header:{revision:4 raft_term:2} kvs:{key:"a" create_revision:2 mod_revision:2 version:1 value:"1"} more:true count:3`},
		{"and after sorting with one", &pb.RangeRequest{Key: all, RangeEnd: all, SortTarget: pb.RangeRequest_MOD, SortOrder: pb.RangeRequest_DESCEND, Limit: 1},
			`header:{revision:4 raft_term:2} kvs:{key:"b" create_revision:4 mod_revision:4 version:1 value:"y" lease:7} more:true count:3`},
		{"the count is taken before filters", &pb.RangeRequest{Key: all, RangeEnd: all, MinModRevision: 4, Limit: 1},
			`header:{revision:4 raft_term:2} kvs:{key:"b" create_revision:4 mod_revision:4 version:1 value:"y" lease:7} count:3`},
		{"also on its own", &pb.RangeRequest{Key: all, RangeEnd: all, CountOnly: true, MinModRevision: 4}, "header:{revision:4 raft_term:2} count:3"},
		{"a negative revision is the current one", &pb.RangeRequest{Key: b("a"), Revision: -5},
			`header:{revision:4 raft_term:2} kvs:{key:"a" create_revision:2 mod_revision:2 version:1 value:"1"} count:1`},
		{"a revision of the future", &pb.RangeRequest{Key: b("a"), Revision: 99}, "OutOfRange: etcdserver: mvcc: required revision is a future revision"},
		{"a negative revision in a transaction is compacted", &pb.TxnRequest{Success: []*pb.RequestOp{rangeOp(&pb.RangeRequest{Key: b("a"), Revision: -5})}},
			"OutOfRange: etcdserver: mvcc: required revision has been compacted"},
		{"but -1 is the current one", &pb.TxnRequest{Success: []*pb.RequestOp{rangeOp(&pb.RangeRequest{Key: b("a"), Revision: -1})}},
			`header:{revision:4 raft_term:2} succeeded:true responses:{response_range:{header:{revision:4} kvs:{key:"a" create_revision:2 mod_revision:2 version:1 value:"1"} count:1}}`},
		{"an empty transaction succeeds", &pb.TxnRequest{}, "header:{revision:4 raft_term:2} succeeded:true"},
		{"a transaction sees its own writes, a nested comparison does not", &pb.TxnRequest{Success: []*pb.RequestOp{
			rangeOp(&pb.RangeRequest{Key: b("q")}), putOp(&pb.PutRequest{Key: b("q"), Value: b("1")}), rangeOp(&pb.RangeRequest{Key: b("q")}),
			putOp(&pb.PutRequest{Key: b("r"), PrevKv: true}), deleteOp(&pb.DeleteRangeRequest{Key: b("nope")}), deleteOp(&pb.DeleteRangeRequest{Key: b("a"), PrevKv: true}),
			txnOp(&pb.TxnRequest{
				Compare: []*pb.Compare{{Key: b("q"), Target: pb.Compare_VERSION, TargetUnion: &pb.Compare_Version{Version: 0}}},
				Success: []*pb.RequestOp{rangeOp(&pb.RangeRequest{Key: all, RangeEnd: all, CountOnly: true})},
			}),
		}}, `header:{revision:5 raft_term:2} succeeded:true responses:{response_range:{header:{revision:4}}} responses:{response_put:{header:{revision:5}}} responses:{response_range:{header:{revision:5} kvs:{key:"q" create_revision:5 mod_revision:5 version:1 value:"1"} count:1}} responses:{response_put:{header:{revision:5}}} responses:{response_delete_range:{header:{revision:5}}} responses:{response_delete_range:{header:{revision:5} deleted:1 prev_kvs:{key:"a" create_revision:2 mod_revision:2 version:1 value:"1"}}} responses:{response_txn:{header:{} succeeded:true responses:{response_range:{header:{revision:5} count:4}}}}`},
		{"deleting from a key on and putting it is not a duplicate", &pb.TxnRequest{Success: []*pb.RequestOp{
			deleteOp(&pb.DeleteRangeRequest{Key: b("q"), RangeEnd: all}), putOp(&pb.PutRequest{Key: b("q"), Value: b("2")})}},
			"header:{revision:6 raft_term:2} succeeded:true responses:{response_delete_range:{header:{revision:6} deleted:2}} responses:{response_put:{header:{revision:6}}}"},
		{"deleting a range around it is", &pb.TxnRequest{Success: []*pb.RequestOp{
			deleteOp(&pb.DeleteRangeRequest{Key: b("q"), RangeEnd: b("s")}), putOp(&pb.PutRequest{Key: b("q"), Value: b("2")})}},
			"InvalidArgument: etcdserver: duplicate key given in txn request"},
		{"deleting nothing takes no revision", &pb.DeleteRangeRequest{Key: b("nope")}, "header:{revision:6 raft_term:2}"},
		{"no value to keep", &pb.PutRequest{Key: b("nope"), IgnoreValue: true}, "InvalidArgument: etcdserver: key not found"},
		{"a value kept", &pb.PutRequest{Key: b("q"), IgnoreValue: true, Lease: 7, PrevKv: true},
			`header:{revision:7 raft_term:2} prev_kv:{key:"q" create_revision:6 mod_revision:6 version:1 value:"2"}`},
		{"the time to live of no lease", &pb.LeaseTimeToLiveRequest{ID: 8}, "header:{revision:7 raft_term:2} ID:8 TTL:-1"},
		{"a keepalive of no lease", &pb.LeaseKeepAliveRequest{ID: 8}, "header:{revision:7 raft_term:2} ID:8"},
		{"a keepalive", &pb.LeaseKeepAliveRequest{ID: 7}, "header:{revision:7 raft_term:2} ID:7 TTL:100"},
		{"revoking takes one revision for all keys", &pb.LeaseRevokeRequest{ID: 7}, "header:{revision:8 raft_term:2}"},
		{"and works once", &pb.LeaseRevokeRequest{ID: 7}, "NotFound: etcdserver: requested lease not found"},
		{"compaction", &pb.CompactionRequest{Revision: 4}, "header:{revision:8 raft_term:2}"},
		{"again", &pb.CompactionRequest{Revision: 4}, "OutOfRange: etcdserver: mvcc: required revision has been compacted"},
		{"of the future", &pb.CompactionRequest{Revision: 400}, "OutOfRange: etcdserver: mvcc: required revision is a future revision"},
		{"below it nothing can be read", &pb.RangeRequest{Key: b("a"), Revision: 3}, "OutOfRange: etcdserver: mvcc: required revision has been compacted"},
		{"at it everything can", &pb.RangeRequest{Key: b("a"), Revision: 4},
			`header:{revision:8 raft_term:2} kvs:{key:"a" create_revision:2 mod_revision:2 version:1 value:"1"} count:1`},
		{"the largest request", &pb.PutRequest{Key: b("big"), Value: make([]byte, 1572837)}, "header:{revision:9 raft_term:2}"},
		{"one byte more", &pb.PutRequest{Key: b("big"), Value: make([]byte, 1572838)}, "InvalidArgument: etcdserver: request is too large"},
	}
	c := NewCluster(newBench(), 1)
	for _, f := range facts {
		t.Run(f.name, func(t *testing.T) {
			if got := plain(handle(t, c, 0, f.req)); got != f.want {
				t.Errorf("\n got %s\nwant %s", got, f.want)
			}
		})
	}
}

func TestRequestsThatAreRefusedBeforeTheyAreLookedAt(t *testing.T) {
	k := []byte("k")
	many := make([]*pb.RequestOp, 129)
	for i := range many {
		many[i] = rangeOp(&pb.RangeRequest{Key: k})
	}
	nested := func(ops ...*pb.RequestOp) *pb.RequestOp { return txnOp(&pb.TxnRequest{Success: ops}) }
	put := func() *pb.RequestOp { return putOp(&pb.PutRequest{Key: k}) }
	cases := []struct {
		name string
		req  any
		want string
	}{
		{"a range without a key", &pb.RangeRequest{}, "InvalidArgument: etcdserver: key is not provided"},
		{"a put without a key", &pb.PutRequest{}, "InvalidArgument: etcdserver: key is not provided"},
		{"a delete without a key", &pb.DeleteRangeRequest{}, "InvalidArgument: etcdserver: key is not provided"},
		{"a comparison without a key", &pb.TxnRequest{Compare: []*pb.Compare{{}}}, "InvalidArgument: etcdserver: key is not provided"},
		{"an operation that is none", &pb.TxnRequest{Success: []*pb.RequestOp{{}}}, "InvalidArgument: etcdserver: key not found"},
		{"a sort order that is none", &pb.RangeRequest{Key: k, SortOrder: 9}, "InvalidArgument: etcdserver: invalid sort option"},
		{"a sort target that is none", &pb.RangeRequest{Key: k, SortTarget: -1}, "InvalidArgument: etcdserver: invalid sort option"},
		{"a value to ignore", &pb.PutRequest{Key: k, Value: k, IgnoreValue: true}, "InvalidArgument: etcdserver: value is provided"},
		{"a lease to ignore", &pb.PutRequest{Key: k, Lease: 1, IgnoreLease: true}, "InvalidArgument: etcdserver: lease is provided"},
		{"too many operations", &pb.TxnRequest{Failure: many}, "InvalidArgument: etcdserver: too many operations in txn request"},
		{"too many with those of a nested one", &pb.TxnRequest{Success: append([]*pb.RequestOp{nested(many[:64]...)}, many[:64]...)},
			"InvalidArgument: etcdserver: too many operations in txn request"},
		{"one key twice", &pb.TxnRequest{Failure: []*pb.RequestOp{put(), put()}}, "InvalidArgument: etcdserver: duplicate key given in txn request"},
		{"one key here and in a nested one", &pb.TxnRequest{Success: []*pb.RequestOp{nested(put()), put()}}, "InvalidArgument: etcdserver: duplicate key given in txn request"},
		{"one key in two nested ones", &pb.TxnRequest{Success: []*pb.RequestOp{nested(put()), nested(put())}}, "InvalidArgument: etcdserver: duplicate key given in txn request"},
		{"a nested delete of it", &pb.TxnRequest{Success: []*pb.RequestOp{nested(deleteOp(&pb.DeleteRangeRequest{Key: k})), put()}}, "InvalidArgument: etcdserver: duplicate key given in txn request"},
		{"a watch", &pb.WatchRequest{}, "Unimplemented: etcd model: *etcdserverpb.WatchRequest is not supported"},
	}
	c := NewCluster(newBench(), 1)
	for _, x := range cases {
		t.Run(x.name, func(t *testing.T) {
			if got := plain(handle(t, c, 0, x.req)); got != x.want {
				t.Errorf("\n got %s\nwant %s", got, x.want)
			}
			if c.Revision() != 1 {
				t.Error("it changed something")
			}
		})
	}
	t.Run("one key in both branches of a nested one is fine", func(t *testing.T) {
		req := &pb.TxnRequest{Success: []*pb.RequestOp{txnOp(&pb.TxnRequest{Success: []*pb.RequestOp{put()}, Failure: []*pb.RequestOp{put()}})}}
		if _, err := handle(t, c, 0, req); err != nil || c.Revision() != 2 {
			t.Error(err, c.Revision())
		}
	})
}

func TestAKilledServerNeverAnswersEvenWhatItApplied(t *testing.T) {
	b := newBench()
	c := NewCluster(b, 3)
	b.onChange = func(Change) { c.StopNode(0) }
	c.Handle(0, &pb.PutRequest{Key: []byte("k")}, func(any, error) { t.Error("it answered") })
	c.Handle(0, &pb.PutRequest{Key: []byte("k")}, func(any, error) { t.Error("it answered while down") })
	b.onChange = nil
	b.advance(30 * time.Second)
	if c.Revision() != 2 || c.Leader() != 1 {
		t.Errorf("revision %d, leader %d", c.Revision(), c.Leader())
	}
}

func TestALeaseExpiresByTheLeaseClockHoweverTimersRun(t *testing.T) {
	b := newBench()
	b.slow = 100 // 1%
	c := NewCluster(b, 1)
	handle(t, c, 0, &pb.LeaseGrantRequest{ID: 1, TTL: 10})
	b.advance(20 * time.Second)
	last := b.changes[len(b.changes)-1]
	if last.Why != LeaseExpired || last.At < last.Expires || last.At > last.Expires+int64(expiryCheck) {
		t.Errorf("%+v", last)
	}
}

func TestDrawnLeaseIDsFollowTheSeed(t *testing.T) {
	draw := func(seed uint64) (ids [2]int64) {
		c := NewClusterWith(newBench(), Options{Seed: seed})
		for i := range ids {
			resp, _ := handle(t, c, 0, &pb.LeaseGrantRequest{TTL: 5})
			ids[i] = resp.(*pb.LeaseGrantResponse).ID
		}
		return ids
	}
	a, again, other := draw(1), draw(1), draw(2)
	if a != again || a[1] != a[0]+1 || a == other || a[0] <= 0 || other[0] <= 0 {
		t.Error(a, again, other)
	}
}

func TestManyLeasesThatExpireTogetherTakeSeveralChecks(t *testing.T) {
	b := newBench()
	c := NewCluster(b, 1)
	for range 1200 {
		handle(t, c, 0, &pb.LeaseGrantRequest{TTL: 2})
	}
	ended := func() (n int) {
		for _, x := range b.changes {
			if x.Why == LeaseExpired {
				n++
			}
		}
		return n
	}
	b.advance(2 * time.Second)
	if n := ended(); n != 500 {
		t.Errorf("%d leases ended in the first check", n)
	}
	b.advance(time.Second)
	if n := ended(); n != 1200 {
		t.Errorf("%d leases ended in three checks", n)
	}
}
