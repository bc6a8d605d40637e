package etcd

import (
	"context"
	"errors"
	"testing"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// direct is a wire without length.
type direct struct{ c *Cluster }

func (d direct) Call(_ context.Context, req any) (resp any, err error) {
	d.c.Handle(0, req, func(r any, e error) { resp, err = r, e })
	return resp, err
}

// broken is a wire on which everything fails the same way.
type broken struct {
	err   error
	calls *int
}

func (b broken) Call(context.Context, any) (any, error) {
	*b.calls++
	return nil, b.err
}

func TestTheClientDoesWhatALockNeeds(t *testing.T) {
	ctx := context.Background()
	w := direct{NewCluster(newBench(), 3)}
	kv, leases := NewKV(w), NewLease(w)
	grant, err := leases.Grant(ctx, 5)
	if err != nil || grant.TTL != 5 {
		t.Fatal(grant, err)
	}
	acquire := func() *clientv3.TxnResponse {
		resp, err := kv.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision("lock/a"), "=", 0)).
			Then(clientv3.OpPut("lock/a", "me", clientv3.WithLease(grant.ID))).
			Else(clientv3.OpGet("lock/a")).Commit()
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	if r := acquire(); !r.Succeeded || r.Header.Revision != 2 {
		t.Error(r)
	}
	if r := acquire(); r.Succeeded || r.Responses[0].GetResponseRange().Kvs[0].Lease != int64(grant.ID) {
		t.Error(r)
	}
	if r, err := leases.KeepAliveOnce(ctx, grant.ID); err != nil || r.TTL != 5 {
		t.Error(r, err)
	}
	if r, err := leases.TimeToLive(ctx, grant.ID, clientv3.WithAttachedKeys()); err != nil || len(r.Keys) != 1 || string(r.Keys[0]) != "lock/a" {
		t.Error(r, err)
	}
	if r, err := leases.TimeToLive(ctx, grant.ID); err != nil || len(r.Keys) != 0 || r.GrantedTTL != 5 {
		t.Error(r, err)
	}
	if r, err := leases.Leases(ctx); err != nil || len(r.Leases) != 1 || r.Leases[0].ID != grant.ID {
		t.Error(r, err)
	}
	if r, err := leases.Revoke(ctx, grant.ID); err != nil || r.Header.Revision != 3 {
		t.Error(r, err)
	}
	if r, err := leases.KeepAliveOnce(ctx, grant.ID); err != rpctypes.ErrLeaseNotFound || r == nil {
		t.Error(r, err)
	}
	if r, err := kv.Get(ctx, "lock/", clientv3.WithPrefix()); err != nil || r.Count != 0 {
		t.Error(r, err)
	}
	if ch, err := leases.KeepAlive(ctx, grant.ID); ch != nil || err != ErrKeepAliveStream {
		t.Error(ch, err)
	}
	if _, err := kv.GetStream(ctx, "a"); status.Code(err) != codes.Unimplemented {
		t.Error(err)
	}
	if err := leases.Close(); err != nil {
		t.Error(err)
	}
}

func TestErrorsReachTheCallerAsClientv3GivesThem(t *testing.T) {
	done, cancel := context.WithCancel(context.Background())
	cancel()
	closing := status.Error(codes.Unavailable, "transport is closing")
	late := status.Error(codes.DeadlineExceeded, "context deadline exceeded")
	cases := []struct {
		name string
		ctx  context.Context
		sent error
		want error
	}{
		{"an error of the server becomes etcd's own", context.Background(), rpctypes.ErrGRPCLeaderChanged, rpctypes.ErrLeaderChanged},
		{"a missing lease too", context.Background(), rpctypes.ErrGRPCLeaseNotFound, rpctypes.ErrLeaseNotFound},
		{"no leader too", context.Background(), rpctypes.ErrGRPCNoLeader, rpctypes.ErrNoLeader},
		{"a lost connection stays what it is", context.Background(), closing, closing},
		{"a deadline of the caller becomes the context's error", done, late, context.Canceled},
		{"a deadline of the server stays what it is", context.Background(), late, late},
	}
	for _, x := range cases {
		t.Run(x.name, func(t *testing.T) {
			calls := 0
			w := broken{x.sent, &calls}
			kv, leases := NewKV(w), NewLease(w)
			requests := []func() error{
				func() error { _, err := kv.Put(x.ctx, "k", "v"); return err },
				func() error { _, err := kv.Get(x.ctx, "k"); return err },
				func() error { _, err := kv.Delete(x.ctx, "k"); return err },
				func() error { _, err := kv.Compact(x.ctx, 1); return err },
				func() error { _, err := kv.Txn(x.ctx).Commit(); return err },
				func() error { _, err := leases.Grant(x.ctx, 1); return err },
				func() error { _, err := leases.Revoke(x.ctx, 1); return err },
				func() error { _, err := leases.TimeToLive(x.ctx, 1); return err },
				func() error { _, err := leases.Leases(x.ctx); return err },
				func() error { _, err := leases.KeepAliveOnce(x.ctx, 1); return err },
			}
			for i, request := range requests {
				if err := request(); !errors.Is(err, x.want) {
					t.Errorf("request %d: got %v (%T), want %v", i, err, err, x.want)
				}
			}
			if calls != len(requests) {
				t.Errorf("%d calls for %d requests", calls, len(requests))
			}
		})
	}
}

func TestClientAndServerShareNoMemory(t *testing.T) {
	ctx := context.Background()
	w := direct{NewCluster(newBench(), 1)}
	kv := NewKV(w)
	op := clientv3.OpPut("key", "value")
	spoil := func(b []byte) {
		for i := range b {
			b[i] = '!'
		}
	}
	if _, err := kv.Do(ctx, op); err != nil {
		t.Fatal(err)
	}
	spoil(op.KeyBytes())
	spoil(op.ValueBytes())
	other := clientv3.OpPut("other", "value")
	if _, err := kv.Txn(ctx).Then(other).Commit(); err != nil {
		t.Fatal(err)
	}
	spoil(other.ValueBytes())
	for range 2 {
		for _, opts := range [][]clientv3.OpOption{nil, {clientv3.WithKeysOnly()}} {
			r, err := kv.Get(ctx, "", append(opts, clientv3.WithPrefix())...)
			if err != nil || len(r.Kvs) != 2 || string(r.Kvs[0].Key) != "key" || string(r.Kvs[1].Key) != "other" ||
				opts == nil && (string(r.Kvs[0].Value) != "value" || string(r.Kvs[1].Value) != "value") {
				t.Fatal(r, err)
			}
			for _, kv := range r.Kvs {
				spoil(kv.Key)
				spoil(kv.Value)
			}
		}
	}
	r, err := kv.Put(ctx, "key", "new", clientv3.WithPrevKV())
	if err != nil || string(r.PrevKv.Value) != "value" {
		t.Fatal(r, err)
	}
	spoil(r.PrevKv.Value)
	if r, err := kv.Get(ctx, "key", clientv3.WithRev(3)); err != nil || string(r.Kvs[0].Value) != "value" {
		t.Fatal(r, err)
	}
}

// quiet is an Env that costs nothing.
type quiet struct{ *bench }

func (quiet) Changed(Change) {}

func BenchmarkPut(b *testing.B) {
	ctx := context.Background()
	kv := NewKV(direct{NewCluster(quiet{newBench()}, 3)})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := kv.Put(ctx, "mark/acct-1", "12"); err != nil {
			b.Fatal(err)
		}
	}
}

// One lock cycle: grant, acquire, keepalive, release. Four round trips.
func BenchmarkLockCycle(b *testing.B) {
	ctx := context.Background()
	w := direct{NewCluster(quiet{newBench()}, 3)}
	kv, leases := NewKV(w), NewLease(w)
	b.ReportAllocs()
	for b.Loop() {
		g, err := leases.Grant(ctx, 5)
		if err != nil {
			b.Fatal(err)
		}
		r, err := kv.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision("lock/acct-1"), "=", 0)).
			Then(clientv3.OpPut("lock/acct-1", "executor-1", clientv3.WithLease(g.ID))).
			Else(clientv3.OpGet("lock/acct-1")).Commit()
		if err != nil || !r.Succeeded {
			b.Fatal(r, err)
		}
		if _, err := leases.KeepAliveOnce(ctx, g.ID); err != nil {
			b.Fatal(err)
		}
		if _, err := leases.Revoke(ctx, g.ID); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNewCluster(b *testing.B) {
	env := quiet{newBench()}
	b.ReportAllocs()
	for b.Loop() {
		NewCluster(env, 3)
	}
}
