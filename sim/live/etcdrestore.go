package live

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"dlsim/history"
	"dlsim/sim"
	"dlsim/sim/live/etcdnode"
	"dlsim/sim/truth"
	"dlsim/system/lock"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// revision is one change of the cluster and when the harness heard of it.
type revision struct {
	number int64
	at     time.Time
	events []*clientv3.Event
}

// keysAt is every key that stands after the given revisions.
func keysAt(log []revision) map[string]*mvccpb.KeyValue {
	keys := map[string]*mvccpb.KeyValue{}
	for i := range log {
		for _, e := range log[i].events {
			if e.Type == mvccpb.PUT {
				keys[string(e.Kv.Key)] = e.Kv
			} else {
				delete(keys, string(e.Kv.Key))
			}
		}
	}
	return keys
}

// restore brings the cluster back as it was some time ago: every node is killed and its data
// removed, a fresh cluster takes their place, and the same changes are made in it in the same
// order, one revision each. So keys, revisions and leases are those of a snapshot taken then; as
// after a restore, leases count anew. The run goes on meanwhile, without etcd.
func (c *etcdCluster) restore(loses time.Duration) (sim.Effect, error) {
	for _, n := range c.nodes {
		if n.process == nil {
			return nil, fmt.Errorf("%s is not running", n.name)
		}
	}
	held, err := c.w.mesh.Apply(sim.Link{From: "*", To: etcdName}, sim.LinkCondition{Mode: sim.Hold, Replies: true})
	if err != nil {
		return nil, err
	}
	c.catchUp()
	for _, n := range c.nodes {
		c.kill(n)
	}
	held.Release()
	cutoff := time.Now().Add(-loses)
	log := c.feed.log
	kept := len(log)
	for kept > 0 && log[kept-1].at.After(cutoff) && !c.ready(&log[kept-1]) {
		kept--
	}
	c.tellLost(log, kept)
	c.rebuilding = true
	forgotten := len(log) - kept
	c.w.beside(&c.coming, func() error { return c.rebuild(log[:kept:kept]) }, func(err error) {
		c.rebuilding = false
		for _, n := range c.nodes {
			if err == nil {
				err = c.watch(n)
			}
		}
		c.w.fail(err)
	})
	return &effect{count: func() int { return forgotten }}, nil
}

// ready says whether the change was made before the run, to see whether the cluster serves.
func (c *etcdCluster) ready(r *revision) bool {
	return string(r.events[0].Kv.Key) == etcdnode.ReadyKey
}

// rebuild starts fresh nodes and makes the changes again. The lock services cannot reach the nodes
// before that is done.
func (c *etcdCluster) rebuild(log []revision) error {
	ctx, cancel := context.WithTimeout(context.Background(), startBound)
	defer cancel()
	shut, err := c.w.shut(etcdName)
	if err != nil {
		return err
	}
	defer shut()
	for _, n := range c.nodes {
		if err := os.RemoveAll(n.config.Dir); err != nil {
			return err
		}
		if err := c.spawn(n); err != nil {
			return err
		}
	}
	for _, n := range c.nodes {
		if err := n.process.Started(ctx); err != nil {
			return err
		}
		if err := c.w.mesh.Start(n.name); err != nil {
			return err
		}
	}
	return c.repeat(ctx, log)
}

// shut breaks every connection of a process of the system to a store until it is opened again.
func (w *World) shut(store string) (open func(), err error) {
	var all []interface{ Heal() }
	open = func() {
		for _, e := range all {
			e.Heal()
		}
	}
	for _, p := range w.processes {
		e, err := w.mesh.Apply(sim.Link{From: p.name, To: store}, sim.LinkCondition{Mode: sim.Reset})
		if err != nil {
			open()
			return nil, err
		}
		all = append(all, e)
	}
	return open, nil
}

// repeat makes the changes again and wants the same revision for each.
func (c *etcdCluster) repeat(ctx context.Context, log []revision) error {
	client, err := dialNode(c.nodes[0])
	if err != nil {
		return err
	}
	defer client.Close()
	for {
		try, cancel := context.WithTimeout(ctx, time.Second)
		_, err := client.Get(try, "ready")
		cancel()
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return fmt.Errorf("etcd does not serve after its restore: %w", err)
		}
	}
	leases := pb.NewLeaseClient(client.ActiveConnection())
	standing := keysAt(log)
	for i := range log {
		var ops []clientv3.Op
		for _, e := range log[i].events {
			key := string(e.Kv.Key)
			if e.Type != mvccpb.PUT {
				ops = append(ops, clientv3.OpDelete(key))
				continue
			}
			var with []clientv3.OpOption
			if now := standing[key]; now != nil && now.ModRevision == e.Kv.ModRevision && e.Kv.Lease != 0 {
				ttl := int64(c.keys.ttl / time.Second)
				if _, err := leases.LeaseGrant(ctx, &pb.LeaseGrantRequest{ID: e.Kv.Lease, TTL: ttl}); err != nil {
					return fmt.Errorf("grant a lease again: %w", err)
				}
				with = append(with, clientv3.WithLease(clientv3.LeaseID(e.Kv.Lease)))
			}
			ops = append(ops, clientv3.OpPut(key, string(e.Kv.Value), with...))
		}
		r, err := client.Txn(ctx).Then(ops...).Commit()
		if err != nil {
			return fmt.Errorf("make revision %d again: %w", log[i].number, err)
		}
		if r.Header.Revision != log[i].number {
			return fmt.Errorf("revision %d came to be %d: a defect of dlsim", log[i].number, r.Header.Revision)
		}
	}
	return nil
}

// tellLost tells the history what the cluster no longer knows, key by key in order. From now until
// it is rebuilt it does nothing.
func (c *etcdCluster) tellLost(log []revision, kept int) {
	k := &c.keys
	w := c.w
	w.record(&history.Event{Process: etcdName, Kind: history.OK, Op: history.StoreLost, Truth: true, Clock: k.now(), Note: "restore"})
	before, after := keysAt(log), keysAt(log[:kept])
	all := maps.Clone(before)
	maps.Copy(all, after)
	k.leases = map[int64]*leaseTruth{}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		was, is := before[key], after[key]
		if is != nil && is.Lease != 0 {
			k.leases[is.Lease] = &leaseTruth{ttl: k.ttl, expires: k.now() + int64(k.ttl), key: &clientv3.Event{Type: mvccpb.PUT, Kv: is}}
		}
		if was != nil && is != nil && was.ModRevision == is.ModRevision {
			continue
		}
		if isMark([]byte(key)) {
			k.tellMark(is, was, log[len(log)-1].number, true)
			continue
		}
		change := truth.KeyChange{Store: etcdName, Key: key, Clock: k.now()}
		if is != nil {
			change.Act, change.Owner, change.Token, change.Revision = truth.KeyPut, string(is.Value), is.CreateRevision, is.ModRevision
			change.Prior, change.Expires = k.tokens[key], k.now()+int64(k.ttl)
			k.tokens[key] = is.CreateRevision
		} else {
			change.Act, change.Owner, change.Token, change.Revision = truth.KeyDeleted, string(was.Value), was.CreateRevision, was.ModRevision
		}
		events := truth.AppendKeyLost(nil, &change, lock.EtcdPrefix)
		for i := range events {
			w.record(&events[i])
		}
	}
	clear(k.asked)
	c.feed.rewind(log[:kept:kept])
}
