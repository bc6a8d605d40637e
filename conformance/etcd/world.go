package etcd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/status"
)

// unknownLease is what a name means that no grant has given.
const unknownLease = 0x7d1

// world is the model or a real server during one program.
type world struct {
	kv    clientv3.KV
	lessr clientv3.Lease
	base  int64 // added to a revision of the program
	ids   map[string]clientv3.LeaseID
	names map[clientv3.LeaseID]string
}

func newWorld(kv clientv3.KV, l clientv3.Lease, base int64) *world {
	return &world{kv: kv, lessr: l, base: base, ids: map[string]clientv3.LeaseID{}, names: map[clientv3.LeaseID]string{}}
}

// absolute is a program's revision as this world counts. Zero and less mean the same everywhere.
func (w *world) absolute(rev int64) int64 {
	if rev <= 0 {
		return rev
	}
	return rev + w.base
}

func (w *world) relative(rev int64) int64 {
	if rev <= 0 {
		return rev
	}
	return rev - w.base
}

func (w *world) lease(name string) clientv3.LeaseID {
	if id, ok := w.ids[name]; ok {
		return id
	}
	return unknownLease
}

func (w *world) name(id int64) string {
	if n, ok := w.names[clientv3.LeaseID(id)]; ok {
		return n
	}
	return fmt.Sprint(id)
}

// do makes one request and returns the answer in words, the same for equal answers.
func (w *world) do(ctx context.Context, s Step) string {
	switch s.Verb {
	case Put, Get, Delete, Txn:
		r, err := w.kv.Do(ctx, w.op(s))
		return outcome(err, func() string { return w.response(r) })
	case Compact:
		r, err := w.kv.Compact(ctx, w.absolute(s.Rev))
		return outcome(err, func() string { return w.header(r.Header) })
	case Grant:
		return w.grant(ctx, s)
	case Revoke:
		r, err := w.lessr.Revoke(ctx, w.lease(s.Lease))
		return outcome(err, func() string { return w.header(r.Header) })
	case KeepAlive:
		r, err := w.lessr.KeepAliveOnce(ctx, w.lease(s.Lease))
		if err != nil {
			return describe(err)
		}
		return fmt.Sprintf("%s ttl=%d%s", w.header(r.ResponseHeader), r.TTL, w.wrongID(s.Lease, r.ID))
	case TTL:
		var o []clientv3.LeaseOption
		if s.Keys {
			o = append(o, clientv3.WithAttachedKeys())
		}
		r, err := w.lessr.TimeToLive(ctx, w.lease(s.Lease), o...)
		return outcome(err, func() string {
			out := fmt.Sprintf("%s ttl=%d granted=%d%s", w.header(r.ResponseHeader), r.TTL, r.GrantedTTL, w.wrongID(s.Lease, r.ID))
			// The server takes them from a map; the model has them sorted.
			slices.SortFunc(r.Keys, bytes.Compare)
			for _, k := range r.Keys {
				out += " " + string(k)
			}
			return out
		})
	case Leases:
		r, err := w.lessr.Leases(ctx)
		return outcome(err, func() string {
			out := w.header(r.ResponseHeader)
			for _, l := range r.Leases {
				out += " " + w.name(int64(l.ID))
			}
			return out
		})
	}
	panic("not a request: " + s.String())
}

// grant asks for a lease. clientv3's Grant cannot choose the id, but its transport can.
func (w *world) grant(ctx context.Context, s Step) string {
	r, err := w.lessr.Grant(withLeaseID(ctx, s.ID), s.TTL)
	return outcome(err, func() string {
		w.ids[s.Lease], w.names[r.ID] = r.ID, s.Lease
		out := fmt.Sprintf("%s ttl=%d", w.header(r.ResponseHeader), r.TTL)
		if s.ID != 0 && int64(r.ID) != s.ID || r.ID <= 0 {
			out += fmt.Sprintf(" id=%d", r.ID)
		}
		if r.Error != "" {
			out += " error=" + r.Error
		}
		return out
	})
}

func (w *world) wrongID(name string, id clientv3.LeaseID) string {
	if id == w.lease(name) {
		return ""
	}
	return fmt.Sprintf(" id=%d", id)
}

func outcome(err error, text func() string) string {
	if err != nil {
		return describe(err)
	}
	return text()
}

// describe tells errors apart as a caller can: by code, by text, and by whether they are etcd's.
func describe(err error) string {
	var known rpctypes.EtcdError
	if errors.As(err, &known) {
		return fmt.Sprintf("%v: %s", known.Code(), known.Error())
	}
	st, _ := status.FromError(err)
	return fmt.Sprintf("%v (%T): %s", st.Code(), err, st.Message())
}

// header shows a header's revision, and what is wrong with the rest if anything is.
func (w *world) header(h *pb.ResponseHeader) string {
	if h == nil {
		return "no header"
	}
	out := fmt.Sprintf("rev=%d", w.relative(h.Revision))
	if h.ClusterId == 0 || h.MemberId == 0 || h.RaftTerm == 0 {
		out += fmt.Sprintf(" cluster=%x member=%x term=%d", h.ClusterId, h.MemberId, h.RaftTerm)
	}
	return out
}

func (w *world) response(r clientv3.OpResponse) string {
	switch {
	case r.Put() != nil:
		return w.header(r.Put().Header) + w.kvs(r.Put().PrevKv)
	case r.Get() != nil:
		g := (*pb.RangeResponse)(r.Get())
		return w.header(g.Header) + w.ranged(g)
	case r.Del() != nil:
		d := r.Del()
		return fmt.Sprintf("%s deleted=%d%s", w.header(d.Header), d.Deleted, w.kvs(d.PrevKvs...))
	}
	t := (*pb.TxnResponse)(r.Txn())
	return w.header(t.Header) + w.txn(t)
}

// The answers inside a transaction have headers with nothing but a revision, or none at all.
func (w *world) inner(h *pb.ResponseHeader) string {
	if h == nil {
		return "no header"
	}
	return fmt.Sprintf("rev=%d%s", w.relative(h.Revision), extra(h))
}

func extra(h *pb.ResponseHeader) string {
	if h.ClusterId == 0 && h.MemberId == 0 && h.RaftTerm == 0 {
		return ""
	}
	return " signed"
}

func (w *world) txn(t *pb.TxnResponse) string {
	var b strings.Builder
	fmt.Fprintf(&b, " succeeded=%v", t.Succeeded)
	for _, o := range t.Responses {
		switch r := o.Response.(type) {
		case *pb.ResponseOp_ResponseRange:
			b.WriteString(" [" + w.inner(r.ResponseRange.Header) + w.ranged(r.ResponseRange) + "]")
		case *pb.ResponseOp_ResponsePut:
			b.WriteString(" [" + w.inner(r.ResponsePut.Header) + w.kvs(r.ResponsePut.PrevKv) + "]")
		case *pb.ResponseOp_ResponseDeleteRange:
			d := r.ResponseDeleteRange
			fmt.Fprintf(&b, " [%s deleted=%d%s]", w.inner(d.Header), d.Deleted, w.kvs(d.PrevKvs...))
		case *pb.ResponseOp_ResponseTxn:
			b.WriteString(" [" + w.inner(r.ResponseTxn.Header) + w.txn(r.ResponseTxn) + "]")
		}
	}
	return b.String()
}

func (w *world) ranged(r *pb.RangeResponse) string {
	out := fmt.Sprintf(" count=%d", r.Count)
	if r.More {
		out += " more"
	}
	return out + w.kvs(r.Kvs...)
}

func (w *world) kvs(kvs ...*mvccpb.KeyValue) string {
	var b strings.Builder
	for _, kv := range kvs {
		if kv == nil {
			continue
		}
		fmt.Fprintf(&b, " %s=%s(create %d mod %d v%d", kv.Key, kv.Value, w.relative(kv.CreateRevision), w.relative(kv.ModRevision), kv.Version)
		if kv.Lease != 0 {
			b.WriteString(" lease " + w.name(kv.Lease))
		}
		b.WriteString(")")
	}
	return b.String()
}
