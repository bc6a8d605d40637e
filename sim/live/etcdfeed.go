package live

import (
	"context"
	"sync"
	"time"

	"dlsim/sim/live/etcdnode"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// feed is every change that the cluster has applied, in order of revision. Each node has a watch;
// whichever tells of a revision first is believed, since all nodes apply the same changes.
type feed struct {
	mu       sync.Mutex
	more     *sync.Cond
	revision int64 // the last one told of
	changes  []*clientv3.Event
	log      []revision // all of them, for a restore
}

func (f *feed) add(events []*clientv3.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	known := f.revision
	for _, e := range events {
		if e.Kv.ModRevision > known {
			f.changes = append(f.changes, e)
			if e.Kv.ModRevision > f.revision {
				f.revision = e.Kv.ModRevision
				f.log = append(f.log, revision{number: f.revision, at: time.Now()})
			}
			last := &f.log[len(f.log)-1]
			last.events = append(last.events, e)
		}
	}
	f.more.Broadcast()
}

// rewind has the cluster stand as it did at the end of log.
func (f *feed) rewind(log []revision) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log, f.changes, f.revision = log, nil, 1
	if n := len(log); n > 0 {
		f.revision = log[n-1].number
	}
}

// take returns the first change that nobody has taken, nil when there is none.
func (f *feed) take() *clientv3.Event {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.changes) == 0 {
		return nil
	}
	first := f.changes[0]
	f.changes = f.changes[1:]
	return first
}

// await waits until revision has been told of, and gives up at the bound.
func (f *feed) await(revision int64, bound time.Duration) bool {
	late := false
	timer := time.AfterFunc(bound, func() {
		f.mu.Lock()
		late = true
		f.mu.Unlock()
		f.more.Broadcast()
	})
	defer timer.Stop()
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.revision < revision && !late {
		f.more.Wait()
	}
	return f.revision >= revision
}

// dialNode connects to a node past every link.
func dialNode(n *etcdNode) (*clientv3.Client, error) { return etcdnode.Dial(n.client) }

// watch connects to a node and follows it from the first change that nobody has told of.
func (c *etcdCluster) watch(n *etcdNode) error {
	direct, err := dialNode(n)
	if err != nil {
		return err
	}
	n.direct = direct
	ctx, cancel := context.WithCancel(context.Background())
	n.stopWatch = cancel
	go func() {
		for ctx.Err() == nil {
			c.feed.mu.Lock()
			from := c.feed.revision + 1
			c.feed.mu.Unlock()
			for r := range direct.Watch(ctx, "\x00", clientv3.WithFromKey(), clientv3.WithRev(from), clientv3.WithPrevKV()) {
				if r.Err() != nil {
					break
				}
				c.feed.add(r.Events)
			}
		}
	}()
	return nil
}

// barrierBound is how long a node may take to say how far it has applied; one that takes longer
// serves nobody either.
const barrierBound = 300 * time.Millisecond

// catchUp takes up every change that a client can have heard of. A node answers its client after it
// has applied the change, so asking every node how far it has got, and following up to there, is
// enough.
func (c *etcdCluster) catchUp() {
	var mu sync.Mutex
	var asked sync.WaitGroup
	applied := int64(0)
	for _, n := range c.nodes {
		if !n.serves() {
			continue
		}
		asked.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), barrierBound)
			defer cancel()
			r, err := n.direct.Get(ctx, etcdnode.ReadyKey, clientv3.WithSerializable(), clientv3.WithCountOnly())
			if err != nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			applied = max(applied, r.Header.Revision)
		})
	}
	asked.Wait()
	c.feed.await(applied, time.Second)
	c.drain()
}

// drain takes up what the watches have told of, one change at a time: taking one up can have a fault
// strike the cluster, which drains what is left from within.
func (c *etcdCluster) drain() {
	for {
		e := c.feed.take()
		if e == nil {
			return
		}
		if e.Type == mvccpb.PUT {
			c.keys.put(e)
		} else {
			c.keys.deleted(e)
		}
	}
}
