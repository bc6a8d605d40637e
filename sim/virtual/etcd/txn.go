package etcd

import (
	"bytes"
	"cmp"
	"fmt"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
)

func (c *Cluster) put(r *pb.PutRequest) (*pb.PutResponse, error) {
	if err := c.mayPut(c.store.rev, r); err != nil {
		return nil, err
	}
	w := c.write()
	resp := w.putRequest(r)
	w.end()
	return resp, nil
}

func (c *Cluster) deleteRange(r *pb.DeleteRangeRequest) *pb.DeleteRangeResponse {
	w := c.write()
	resp := w.deleteRequest(r)
	w.end()
	return resp
}

// mayPut checks what only the state can tell, as of a revision.
func (c *Cluster) mayPut(rev int64, r *pb.PutRequest) error {
	if r.Lease != 0 && c.leases.find(r.Lease) == nil {
		return rpctypes.ErrGRPCLeaseNotFound
	}
	if r.IgnoreValue || r.IgnoreLease {
		if _, v := c.store.read(r.Key, rev); v == nil {
			return rpctypes.ErrGRPCKeyNotFound
		}
	}
	return nil
}

// read returns a key's history and its state as of a revision, nil where there is none.
func (s *store) read(key []byte, rev int64) (*history, *version) {
	i, found := s.find(key)
	if !found {
		return nil, nil
	}
	return s.keys[i], s.keys[i].at(rev)
}

func (w *writing) putRequest(r *pb.PutRequest) *pb.PutResponse {
	resp := &pb.PutResponse{Header: &pb.ResponseHeader{Revision: w.begin + 1}}
	lease := r.Lease
	var value []byte
	if r.IgnoreValue || r.IgnoreLease || r.PrevKv {
		h, v := w.c.store.read(r.Key, w.rev())
		if v != nil && r.PrevKv {
			resp.PrevKv = h.message(v)
		}
		if v == nil && (r.IgnoreValue || r.IgnoreLease) {
			// Deleted by the same transaction, from an open range that the check for duplicates
			// does not see. A real server goes down over this.
			panic(fmt.Sprintf("etcd: transaction keeps the value or lease of %q, which it deletes", r.Key))
		}
		if r.IgnoreValue {
			value = v.value
		}
		if r.IgnoreLease {
			lease = v.lease
		}
	}
	if !r.IgnoreValue {
		value = bytes.Clone(r.Value)
	}
	w.put(r.Key, value, lease)
	return resp
}

func (w *writing) deleteRequest(r *pb.DeleteRangeRequest) *pb.DeleteRangeResponse {
	resp := &pb.DeleteRangeResponse{Header: &pb.ResponseHeader{}}
	if r.PrevKv {
		rev := w.rev()
		for _, h := range w.c.store.span(r.Key, r.RangeEnd) {
			if v := h.at(rev); v != nil {
				resp.PrevKvs = append(resp.PrevKvs, h.message(v))
			}
		}
	}
	resp.Deleted = w.deleteRange(r.Key, r.RangeEnd, KeyDeleted)
	resp.Header.Revision = w.rev()
	return resp
}

// txn runs a transaction on the state of a revision. Only one that writes may do so at any but the
// current one.
func (c *Cluster) txn(rev int64, r *pb.TxnRequest) (*pb.TxnResponse, error) {
	// All comparisons are made first, nested ones included, in the order in which execution will
	// come by them.
	path := c.decide(c.path[:0], rev, r)
	c.path = path[:0]
	walk := path
	if err := c.mayRun(rev, r, &walk); err != nil {
		return nil, err
	}
	w := c.write()
	w.begin = rev
	walk = path
	resp, err := w.run(r, &walk)
	if err != nil {
		return nil, err
	}
	w.end()
	resp.Header.Revision = w.rev()
	return resp, nil
}

// decide appends the outcome of r's comparisons, then those of its nested transactions.
func (c *Cluster) decide(path []bool, rev int64, r *pb.TxnRequest) []bool {
	holds := true
	for _, cond := range r.Compare {
		if holds = c.store.holds(rev, cond); !holds {
			break
		}
	}
	path = append(path, holds)
	for _, op := range branch(r, holds) {
		if o, ok := op.Request.(*pb.RequestOp_RequestTxn); ok {
			path = c.decide(path, rev, o.RequestTxn)
		}
	}
	return path
}

func branch(r *pb.TxnRequest, holds bool) []*pb.RequestOp {
	if holds {
		return r.Success
	}
	return r.Failure
}

func step(walk *[]bool) bool {
	holds := (*walk)[0]
	*walk = (*walk)[1:]
	return holds
}

// mayRun checks every operation that will run against the state before the transaction.
func (c *Cluster) mayRun(rev int64, r *pb.TxnRequest, walk *[]bool) error {
	for _, op := range branch(r, step(walk)) {
		var err error
		switch o := op.Request.(type) {
		case *pb.RequestOp_RequestRange:
			// A negative revision counts as compacted here, though a range on its own reads it as
			// the current one. Before any compaction the server's mark stands at -1.
			switch asked := o.RequestRange.Revision; {
			case asked > rev:
				err = rpctypes.ErrGRPCFutureRev
			case asked != 0 && asked < c.store.compacted:
				err = rpctypes.ErrGRPCCompacted
			}
		case *pb.RequestOp_RequestPut:
			err = c.mayPut(rev, o.RequestPut)
		case *pb.RequestOp_RequestTxn:
			err = c.mayRun(rev, o.RequestTxn, walk)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *writing) run(r *pb.TxnRequest, walk *[]bool) (*pb.TxnResponse, error) {
	holds := step(walk)
	ops := branch(r, holds)
	resp := &pb.TxnResponse{Header: &pb.ResponseHeader{}, Succeeded: holds}
	if len(ops) > 0 {
		resp.Responses = make([]*pb.ResponseOp, 0, len(ops))
	}
	for _, op := range ops {
		out := &pb.ResponseOp{}
		switch o := op.Request.(type) {
		case *pb.RequestOp_RequestRange:
			rr, err := w.c.store.readRange(w.rev(), o.RequestRange)
			if err != nil {
				return nil, err // a transaction that only reads; writes have been checked
			}
			out.Response = &pb.ResponseOp_ResponseRange{ResponseRange: rr}
		case *pb.RequestOp_RequestPut:
			out.Response = &pb.ResponseOp_ResponsePut{ResponsePut: w.putRequest(o.RequestPut)}
		case *pb.RequestOp_RequestDeleteRange:
			out.Response = &pb.ResponseOp_ResponseDeleteRange{ResponseDeleteRange: w.deleteRequest(o.RequestDeleteRange)}
		case *pb.RequestOp_RequestTxn:
			nested, err := w.run(o.RequestTxn, walk)
			if err != nil {
				return nil, err
			}
			out.Response = &pb.ResponseOp_ResponseTxn{ResponseTxn: nested}
		}
		resp.Responses = append(resp.Responses, out)
	}
	return resp, nil
}

// holds judges one comparison as of a revision. Over a range it must hold for every key.
func (s *store) holds(rev int64, c *pb.Compare) bool {
	found := false
	for _, h := range s.span(c.Key, c.RangeEnd) {
		if v := h.at(rev); v != nil {
			found = true
			if !compare(c, v) {
				return false
			}
		}
	}
	if found {
		return true
	}
	if c.Target == pb.Compare_VALUE {
		return false
	}
	return compare(c, &version{})
}

func compare(c *pb.Compare, v *version) bool {
	var order int
	switch c.Target {
	case pb.Compare_VALUE:
		order = bytes.Compare(v.value, c.GetValue())
	case pb.Compare_CREATE:
		order = cmp.Compare(v.created, c.GetCreateRevision())
	case pb.Compare_MOD:
		order = cmp.Compare(v.main, c.GetModRevision())
	case pb.Compare_VERSION:
		order = cmp.Compare(v.count, c.GetVersion())
	case pb.Compare_LEASE:
		order = cmp.Compare(v.lease, c.GetLease())
	}
	switch c.Result {
	case pb.Compare_EQUAL:
		return order == 0
	case pb.Compare_NOT_EQUAL:
		return order != 0
	case pb.Compare_GREATER:
		return order > 0
	case pb.Compare_LESS:
		return order < 0
	}
	return true
}

func (c *Cluster) compact(r *pb.CompactionRequest) (*pb.CompactionResponse, error) {
	switch {
	case r.Revision <= c.store.compacted:
		return nil, rpctypes.ErrGRPCCompacted
	case r.Revision > c.store.rev:
		return nil, rpctypes.ErrGRPCFutureRev
	}
	// Old versions are kept, so that a snapshot of the past can still be taken; nobody reads them.
	c.store.compacted = r.Revision
	return &pb.CompactionResponse{Header: &pb.ResponseHeader{Revision: c.store.rev}}, nil
}
