package proxy

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"dlsim/system/host"
	"dlsim/system/paydb"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// EtcdMarkPrefix precedes the account in the key of a mark in etcd. The value is the mark.
const EtcdMarkPrefix = "/marks/"

// Etcd keeps the mark next to the locks and the submissions in paydb (ADR-007 D6 says what follows:
// the guard fails together with the lock store).
type Etcd struct {
	kv clientv3.KV
	db *paydb.Store
}

// NewEtcd returns an admission whose mark is in h's etcd.
func NewEtcd(h host.Host, db *paydb.Store) Etcd {
	kv, _ := h.Etcd()
	return Etcd{kv, db}
}

// errOvertaken: another admission of the account came between reading the mark and advancing it.
var errOvertaken = errors.New("the mark was advanced meanwhile")

// Admit implements Admission. No transaction joins the two stores: a mark that was advanced for a
// submission that is then refused stays where it is.
func (e Etcd) Admit(ctx context.Context, s Submission) (Verdict, error) {
	key := EtcdMarkPrefix + s.Account
	resp, err := e.kv.Get(ctx, key)
	if err != nil {
		return Refused, fmt.Errorf("etcd: read mark: %w", err)
	}
	mark, revision := int64(0), int64(0)
	if len(resp.Kvs) > 0 {
		revision = resp.Kvs[0].ModRevision
		if mark, err = strconv.ParseInt(string(resp.Kvs[0].Value), 10, 64); err != nil {
			return Refused, fmt.Errorf("etcd: mark of %s: %w", s.Account, err)
		}
	}
	if s.Token <= mark {
		return FencedOut, nil
	}
	done, err := e.kv.Txn(ctx).
		If(clientv3.Compare(clientv3.ModRevision(key), "=", revision)).
		Then(clientv3.OpPut(key, strconv.FormatInt(s.Token, 10))).
		Commit()
	switch {
	case err != nil:
		return Refused, fmt.Errorf("etcd: advance mark: %w", err) // no intent was written
	case !done.Succeeded:
		return Refused, errOvertaken
	}
	return verdict(e.db.Admit(ctx, s.Payout, s.Token, paydb.WriteIntent))
}
