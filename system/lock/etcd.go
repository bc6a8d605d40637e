package lock

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dlsim/system/host"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// EtcdPrefix precedes the lock key in etcd. The value is the owner.
const EtcdPrefix = "/locks/"

// Etcd keeps a lock as a key that lives as long as its lease. The token is the revision of the
// transaction that created it.
type Etcd struct {
	h     host.Host
	kv    clientv3.KV
	lease clientv3.Lease
	// cleanup bounds what is done after the answer is known, on behalf of nobody.
	cleanup time.Duration
}

// NewEtcd returns the backend on h's etcd. cleanup bounds the revocation of a lease that serves
// nobody.
func NewEtcd(h host.Host, cleanup time.Duration) *Etcd {
	kv, lease := h.Etcd()
	return &Etcd{h: h, kv: kv, lease: lease, cleanup: cleanup}
}

// Acquire implements Backend. A TTL counts in whole seconds in etcd and is rounded up.
//
// Most tries of a contended lock find it held. One read tells, where a lease and a transaction in
// vain are writes that every node must store.
func (e *Etcd) Acquire(ctx context.Context, key, owner string, ttl time.Duration) (Grant, error) {
	held, err := e.read(ctx, key)
	if err != nil {
		return Grant{}, fmt.Errorf("%w: %w", ErrNoEffect, err)
	}
	if held != nil {
		return Grant{}, ErrHeld
	}
	seconds := int64((ttl + time.Second - 1) / time.Second)
	before := e.h.Now()
	lease, err := e.lease.Grant(ctx, seconds)
	if err != nil {
		// Whatever became of the lease, no key is bound to it.
		return Grant{}, fmt.Errorf("etcd: grant lease: %w: %w", ErrNoEffect, err)
	}
	k := EtcdPrefix + key
	resp, err := e.kv.Txn(ctx).
		If(clientv3.Compare(clientv3.CreateRevision(k), "=", 0)).
		Then(clientv3.OpPut(k, owner, clientv3.WithLease(lease.ID))).
		Commit()
	if err != nil {
		// The transaction may have been applied. Nobody knows its token, so nobody may use it:
		// ending the lease gives the lock back early, and if that fails it expires.
		e.revoke(ctx, lease.ID)
		return Grant{}, fmt.Errorf("etcd: create key: %w", err)
	}
	if !resp.Succeeded {
		e.revoke(ctx, lease.ID)
		return Grant{}, ErrHeld
	}
	granted := time.Duration(lease.TTL) * time.Second
	return Grant{Owner: owner, Token: resp.Header.Revision, TTL: granted, Expires: before.Add(granted)}, nil
}

// Renew implements Backend. The key names its lease; if the key goes between the two calls its
// lease goes with it, or belongs to nothing any more.
func (e *Etcd) Renew(ctx context.Context, key, owner string, token int64) (Grant, error) {
	kv, err := e.read(ctx, key)
	if err != nil {
		return Grant{}, fmt.Errorf("%w: %w", ErrNoEffect, err)
	}
	if kv == nil {
		return Grant{}, ErrLost
	}
	if kv.CreateRevision != token || kv.ModRevision != token || string(kv.Value) != owner {
		return Grant{}, ErrLost
	}
	before := e.h.Now()
	alive, err := e.lease.KeepAliveOnce(ctx, clientv3.LeaseID(kv.Lease))
	if errors.Is(err, rpctypes.ErrLeaseNotFound) {
		return Grant{}, ErrLost
	}
	if err != nil {
		return Grant{}, fmt.Errorf("etcd: keep lease alive: %w", err)
	}
	if alive.TTL <= 0 {
		return Grant{}, ErrLost
	}
	ttl := time.Duration(alive.TTL) * time.Second
	return Grant{Owner: owner, Token: token, TTL: ttl, Expires: before.Add(ttl)}, nil
}

// Release implements Backend: it deletes the key only at our own revision (field report F17). The
// lease, to which nothing is bound any more, ends by itself.
func (e *Etcd) Release(ctx context.Context, key, owner string, token int64) error {
	k := EtcdPrefix + key
	resp, err := e.kv.Txn(ctx).
		If(clientv3.Compare(clientv3.ModRevision(k), "=", token), clientv3.Compare(clientv3.Value(k), "=", owner)).
		Then(clientv3.OpDelete(k)).
		Commit()
	if err != nil {
		return fmt.Errorf("etcd: delete key: %w", err)
	}
	if !resp.Succeeded {
		return ErrLost
	}
	return nil
}

// Holder implements Backend.
func (e *Etcd) Holder(ctx context.Context, key string) (Grant, error) {
	kv, err := e.read(ctx, key)
	if err != nil || kv == nil {
		return Grant{}, err
	}
	return Grant{Owner: string(kv.Value), Token: kv.ModRevision}, nil
}

// read returns a lock's key as it is, nil while nobody holds the lock.
func (e *Etcd) read(ctx context.Context, key string) (*mvccpb.KeyValue, error) {
	resp, err := e.kv.Get(ctx, EtcdPrefix+key)
	if err != nil {
		return nil, fmt.Errorf("etcd: read key: %w", err)
	}
	if len(resp.Kvs) == 0 {
		return nil, nil
	}
	return resp.Kvs[0], nil
}

// revoke ends a lease as well as it can: it goes on when the request's client has left, and if it
// fails the lease ends by itself.
func (e *Etcd) revoke(ctx context.Context, id clientv3.LeaseID) {
	ctx, cancel := e.h.WithTimeout(e.h.Detach(ctx), e.cleanup)
	defer cancel()
	_, _ = e.lease.Revoke(ctx, id)
}
