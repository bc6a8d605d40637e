package etcd

import (
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// Limits of the server, at their defaults.
const (
	maxTxnOps       = 128
	maxRequestBytes = 1536 * 1024
)

// check refuses what the server refuses before anything else looks at a request.
func check(req any) error {
	switch r := req.(type) {
	case *pb.RangeRequest:
		return checkRange(r)
	case *pb.PutRequest:
		return checkPut(r)
	case *pb.DeleteRangeRequest:
		return checkDelete(r)
	case *pb.TxnRequest:
		if err := checkTxn(r, maxTxnOps); err != nil {
			return err
		}
		for _, ops := range [2][]*pb.RequestOp{r.Success, r.Failure} {
			if len(ops) == 1 && ops[0].GetRequestTxn() == nil {
				continue // one operation cannot overlap itself
			}
			if _, err := checkOverlaps(ops); err != nil {
				return err
			}
		}
		return nil
	case *pb.CompactionRequest, *pb.LeaseGrantRequest, *pb.LeaseRevokeRequest, *pb.LeaseKeepAliveRequest,
		*pb.LeaseTimeToLiveRequest, *pb.LeaseLeasesRequest:
		return nil
	}
	return status.Errorf(codes.Unimplemented, "etcd model: %T is not supported", req)
}

func checkRange(r *pb.RangeRequest) error {
	if len(r.Key) == 0 {
		return rpctypes.ErrGRPCEmptyKey
	}
	if r.SortOrder < pb.RangeRequest_NONE || r.SortOrder > pb.RangeRequest_DESCEND ||
		r.SortTarget < pb.RangeRequest_KEY || r.SortTarget > pb.RangeRequest_VALUE {
		return rpctypes.ErrGRPCInvalidSortOption
	}
	return nil
}

func checkPut(r *pb.PutRequest) error {
	switch {
	case len(r.Key) == 0:
		return rpctypes.ErrGRPCEmptyKey
	case r.IgnoreValue && len(r.Value) != 0:
		return rpctypes.ErrGRPCValueProvided
	case r.IgnoreLease && r.Lease != 0:
		return rpctypes.ErrGRPCLeaseProvided
	}
	return nil
}

func checkDelete(r *pb.DeleteRangeRequest) error {
	if len(r.Key) == 0 {
		return rpctypes.ErrGRPCEmptyKey
	}
	return nil
}

func checkTxn(r *pb.TxnRequest, room int) error {
	ops := max(len(r.Compare), len(r.Success), len(r.Failure))
	if ops > room {
		return rpctypes.ErrGRPCTooManyOps
	}
	for _, c := range r.Compare {
		if len(c.Key) == 0 {
			return rpctypes.ErrGRPCEmptyKey
		}
	}
	for _, branch := range [2][]*pb.RequestOp{r.Success, r.Failure} {
		for _, op := range branch {
			if err := checkOp(op, room-ops); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkOp(op *pb.RequestOp, room int) error {
	switch o := op.Request.(type) {
	case *pb.RequestOp_RequestRange:
		return checkRange(o.RequestRange)
	case *pb.RequestOp_RequestPut:
		return checkPut(o.RequestPut)
	case *pb.RequestOp_RequestDeleteRange:
		return checkDelete(o.RequestDeleteRange)
	case *pb.RequestOp_RequestTxn:
		return checkTxn(o.RequestTxn, room)
	}
	return rpctypes.ErrGRPCKeyNotFound
}

// keyRange is what one delete covers. An end of "\x00" is taken literally here, as the server
// does: it overlaps nothing.
type keyRange struct{ key, end string }

func (k keyRange) covers(key string) bool {
	if k.end == "" {
		return k.key == key
	}
	return k.key <= key && key < k.end
}

// touched is what a list of operations writes.
type touched struct {
	puts    []string
	deletes []keyRange
}

func (t *touched) put(key string) bool {
	for _, k := range t.puts {
		if k == key {
			return false
		}
	}
	for _, d := range t.deletes {
		if d.covers(key) {
			return false
		}
	}
	t.puts = append(t.puts, key)
	return true
}

// checkOverlaps refuses a list of operations that could write one key twice. Deletes may overlap
// each other.
func checkOverlaps(ops []*pb.RequestOp) (touched, error) {
	var all touched
	for _, op := range ops {
		if d := op.GetRequestDeleteRange(); d != nil {
			all.deletes = append(all.deletes, keyRange{string(d.Key), string(d.RangeEnd)})
		}
	}
	for _, op := range ops {
		t := op.GetRequestTxn()
		if t == nil {
			continue
		}
		success, err := checkOverlaps(t.Success)
		if err != nil {
			return all, err
		}
		failure, err := checkOverlaps(t.Failure)
		if err != nil {
			return all, err
		}
		before := len(all.puts)
		for _, k := range success.puts {
			if !all.put(k) {
				return all, rpctypes.ErrGRPCDuplicateKey
			}
		}
		for _, k := range failure.puts {
			// The branches exclude each other, so both may put the same key.
			if contains(all.puts[before:], k) {
				continue
			}
			if !all.put(k) {
				return all, rpctypes.ErrGRPCDuplicateKey
			}
		}
		all.deletes = append(append(all.deletes, success.deletes...), failure.deletes...)
	}
	for _, op := range ops {
		if p := op.GetRequestPut(); p != nil && !all.put(string(p.Key)) {
			return all, rpctypes.ErrGRPCDuplicateKey
		}
	}
	return all, nil
}

func contains(keys []string, key string) bool {
	for _, k := range keys {
		if k == key {
			return true
		}
	}
	return false
}

// manner is how a request is served.
type manner uint8

const (
	locally   manner = iota // by the node asked, from what it has
	confirmed               // by the node asked, once the leader has confirmed that it is current
	proposed                // through the log
	forwarded               // by the leader's own memory, outside the log
)

func mannerOf(req any) manner {
	switch r := req.(type) {
	case *pb.RangeRequest:
		if r.Serializable {
			return locally
		}
		return confirmed
	case *pb.TxnRequest:
		readOnly, serializable := kindOf(r)
		switch {
		case serializable:
			return locally
		case readOnly:
			return confirmed
		}
		return proposed
	case *pb.LeaseLeasesRequest:
		return locally
	case *pb.LeaseKeepAliveRequest, *pb.LeaseTimeToLiveRequest:
		return forwarded
	}
	return proposed
}

// kindOf looks at both branches. A transaction without operations counts as serializable.
func kindOf(r *pb.TxnRequest) (readOnly, serializable bool) {
	readOnly, serializable = true, true
	for _, branch := range [2][]*pb.RequestOp{r.Success, r.Failure} {
		for _, op := range branch {
			rr := op.GetRequestRange()
			readOnly = readOnly && rr != nil
			serializable = serializable && rr != nil && rr.Serializable
		}
	}
	return readOnly, serializable
}

// tooLarge refuses a proposal above the server's limit. Its exact size is counted only near it.
func tooLarge(req any) bool {
	switch r := req.(type) {
	case *pb.PutRequest:
		return len(r.Key)+len(r.Value) >= maxRequestBytes/2 && raftSize(&pb.InternalRaftRequest{Put: r}) > maxRequestBytes
	case *pb.TxnRequest:
		return txnBytes(r) >= maxRequestBytes/2 && raftSize(&pb.InternalRaftRequest{Txn: r}) > maxRequestBytes
	}
	return false
}

func raftSize(r *pb.InternalRaftRequest) int {
	r.Header = &pb.RequestHeader{ID: 1 << 63}
	return proto.Size(r)
}

func txnBytes(r *pb.TxnRequest) (n int) {
	for _, c := range r.Compare {
		n += len(c.Key) + len(c.GetValue()) + 64
	}
	for _, branch := range [2][]*pb.RequestOp{r.Success, r.Failure} {
		for _, op := range branch {
			n += 64
			switch o := op.Request.(type) {
			case *pb.RequestOp_RequestPut:
				n += len(o.RequestPut.Key) + len(o.RequestPut.Value)
			case *pb.RequestOp_RequestTxn:
				n += txnBytes(o.RequestTxn)
			}
		}
	}
	return n
}
