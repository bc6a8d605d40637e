package live

import (
	"strconv"
	"strings"

	"dlsim/sim/truth"
	"dlsim/system/proxy"

	"go.etcd.io/etcd/api/v3/mvccpb"
)

// isMark says whether a key is a mark that a rejected design keeps next to the locks.
func isMark(key []byte) bool { return strings.HasPrefix(string(key), proxy.EtcdMarkPrefix) }

func markOf(kv *mvccpb.KeyValue) int64 {
	if kv == nil {
		return 0
	}
	n, _ := strconv.ParseInt(string(kv.Value), 10, 64) // what is no number is no mark
	return n
}

// tellMark tells the history of a mark in etcd: what it is now and was before, nil for none.
func (k *keyTruth) tellMark(now, before *mvccpb.KeyValue, revision int64, lost bool) {
	key := now
	if key == nil {
		key = before
	}
	if key == nil {
		return
	}
	c := truth.KeyChange{Store: etcdName, Key: string(key.Key), Revision: revision, Clock: k.now()}
	events := truth.AppendMark(nil, &c, proxy.EtcdMarkPrefix, markOf(now), markOf(before), lost)
	for i := range events {
		k.w.record(&events[i])
	}
}
