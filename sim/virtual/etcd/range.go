package etcd

import (
	"bytes"
	"sort"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
)

// readRange answers a range as a node does whose current revision is cur.
func (s *store) readRange(cur int64, r *pb.RangeRequest) (*pb.RangeResponse, error) {
	rev := r.Revision
	switch {
	case rev > cur:
		return nil, rpctypes.ErrGRPCFutureRev
	case rev <= 0:
		rev = cur
	}
	if rev < s.compacted {
		return nil, rpctypes.ErrGRPCCompacted
	}
	resp := &pb.RangeResponse{Header: &pb.ResponseHeader{Revision: cur}}
	span := s.span(r.Key, r.RangeEnd)
	if r.CountOnly {
		for _, h := range span {
			if h.at(rev) != nil {
				resp.Count++
			}
		}
		return resp, nil
	}

	// The server cuts before it sorts and filters, whenever it takes the order asked for to be the
	// index's own; that includes any target with the order left at NONE.
	limit := int64(0)
	if r.Limit > 0 && indexOrder(r.SortTarget, r.SortOrder) && !filtered(r) {
		limit = r.Limit
	}
	// A keys-only answer comes from the index, which knows no leases; but sorting by value needs
	// the whole entry.
	fromIndex := r.KeysOnly && r.SortTarget != pb.RangeRequest_VALUE
	for _, h := range span {
		v := h.at(rev)
		if v == nil {
			continue
		}
		resp.Count++
		if limit > 0 && int64(len(resp.Kvs)) >= limit+1 {
			continue
		}
		if resp.Kvs == nil {
			resp.Kvs = make([]*mvccpb.KeyValue, 0, len(span))
		}
		if fromIndex {
			resp.Kvs = append(resp.Kvs, &mvccpb.KeyValue{
				Key: []byte(h.key), CreateRevision: v.created, ModRevision: v.main, Version: v.count,
			})
		} else {
			resp.Kvs = append(resp.Kvs, h.message(v))
		}
	}
	if filtered(r) {
		resp.Kvs = filter(resp.Kvs, r)
	}
	sortKeyValues(resp.Kvs, r)
	if r.Limit > 0 && int64(len(resp.Kvs)) > r.Limit {
		resp.Kvs, resp.More = resp.Kvs[:r.Limit], true
	}
	if r.KeysOnly {
		for _, kv := range resp.Kvs {
			kv.Value = nil
		}
	}
	return resp, nil
}

// message copies a version for an answer: the client may do as it likes with it.
func (h *history) message(v *version) *mvccpb.KeyValue {
	n := len(h.key)
	b := make([]byte, n+len(v.value))
	copy(b, h.key)
	copy(b[n:], v.value)
	kv := &mvccpb.KeyValue{
		Key: b[:n:n], CreateRevision: v.created, ModRevision: v.main, Version: v.count, Lease: v.lease,
	}
	if len(v.value) > 0 { // an empty value travels as nil
		kv.Value = b[n:]
	}
	return kv
}

func indexOrder(t pb.RangeRequest_SortTarget, o pb.RangeRequest_SortOrder) bool {
	return o == pb.RangeRequest_NONE || (t == pb.RangeRequest_KEY && o == pb.RangeRequest_ASCEND)
}

func filtered(r *pb.RangeRequest) bool {
	return r.MinModRevision != 0 || r.MaxModRevision != 0 || r.MinCreateRevision != 0 || r.MaxCreateRevision != 0
}

func filter(kvs []*mvccpb.KeyValue, r *pb.RangeRequest) []*mvccpb.KeyValue {
	kept := kvs[:0]
	for _, kv := range kvs {
		if r.MaxModRevision != 0 && kv.ModRevision > r.MaxModRevision ||
			r.MinModRevision != 0 && kv.ModRevision < r.MinModRevision ||
			r.MaxCreateRevision != 0 && kv.CreateRevision > r.MaxCreateRevision ||
			r.MinCreateRevision != 0 && kv.CreateRevision < r.MinCreateRevision {
			continue
		}
		kept = append(kept, kv)
	}
	return kept
}

// sorting is sorted with sort.Sort, as the server does, so that ties fall the same way.
type sorting struct {
	kvs    []*mvccpb.KeyValue
	target pb.RangeRequest_SortTarget
}

func (s *sorting) Len() int      { return len(s.kvs) }
func (s *sorting) Swap(i, j int) { s.kvs[i], s.kvs[j] = s.kvs[j], s.kvs[i] }
func (s *sorting) Less(i, j int) bool {
	a, b := s.kvs[i], s.kvs[j]
	switch s.target {
	case pb.RangeRequest_VERSION:
		return a.Version < b.Version
	case pb.RangeRequest_CREATE:
		return a.CreateRevision < b.CreateRevision
	case pb.RangeRequest_MOD:
		return a.ModRevision < b.ModRevision
	case pb.RangeRequest_VALUE:
		return bytes.Compare(a.Value, b.Value) < 0
	}
	return bytes.Compare(a.Key, b.Key) < 0
}

func sortKeyValues(kvs []*mvccpb.KeyValue, r *pb.RangeRequest) {
	order := r.SortOrder
	if r.SortTarget != pb.RangeRequest_KEY && order == pb.RangeRequest_NONE {
		order = pb.RangeRequest_ASCEND
	}
	if len(kvs) < 2 || indexOrder(r.SortTarget, order) {
		return
	}
	s := &sorting{kvs: kvs, target: r.SortTarget}
	if order == pb.RangeRequest_DESCEND {
		sort.Sort(sort.Reverse(s))
		return
	}
	sort.Sort(s)
}
