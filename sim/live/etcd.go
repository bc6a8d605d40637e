package live

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"dlsim/history"
	"dlsim/sim"
	"dlsim/sim/live/etcdnode"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// etcdName is the name by which links and the history mean the whole cluster.
const etcdName = "etcd"

// etcdTick is the heartbeat interval of the nodes. It is not the default, so that an election takes
// as long as the virtual world's, one to two seconds.
const etcdTick = 100 * time.Millisecond

// etcdCluster is the etcd beneath the lock service: real nodes, one process each, with a link for
// every ordered pair of them.
type etcdCluster struct {
	w     *World
	nodes []*etcdNode
	feed  feed
	keys  keyTruth
	// struck says that an act is under way: events that it brings about can call for another.
	struck bool
	// rebuilding says that a restore is under way beside the loop. The nodes' processes are its
	// until it is over; nobody else touches one whose direct is nil.
	rebuilding bool
	coming     sync.WaitGroup // nodes that start
}

// etcdNode is one node over all its starts.
type etcdNode struct {
	name         string
	config       etcdnode.Config
	client, peer string // where it really listens
	process      *etcdnode.Process
	direct       *clientv3.Client // past every link
	stopWatch    context.CancelFunc
	paused       bool
}

func newEtcd(w *World, n int) *etcdCluster {
	c := &etcdCluster{w: w, keys: newKeyTruth(w)}
	c.feed.more = sync.NewCond(&c.feed.mu)
	for i := range n {
		c.nodes = append(c.nodes, &etcdNode{name: "etcd-" + strconv.Itoa(i+1)})
	}
	return c
}

func (c *etcdCluster) stores() []sim.Store {
	var s []sim.Store
	for _, n := range c.nodes {
		s = append(s, sim.Store{Name: n.name, Kind: sim.Etcd})
	}
	return s
}

// start brings the cluster up: nodes first, and the links between them once every node's server has
// started, since a peer that listens and does not serve costs a new member a second.
func (c *etcdCluster) start(ctx context.Context) error {
	if err := c.configure(); err != nil {
		return err
	}
	for _, n := range c.nodes {
		if err := c.spawn(n); err != nil {
			return err
		}
	}
	for _, n := range c.nodes {
		if err := n.process.Started(ctx); err != nil {
			return err
		}
	}
	var addrs []string
	for _, n := range c.nodes {
		if err := c.w.mesh.Start(n.name); err != nil {
			return err
		}
		addrs = append(addrs, n.client)
	}
	if err := etcdnode.Ready(ctx, addrs...); err != nil {
		return err
	}
	for _, n := range c.nodes {
		if err := c.watch(n); err != nil {
			return err
		}
	}
	return nil
}

// configure gives each node its addresses and makes the links between the nodes. All members are
// told the same peer URLs; each finds the names in them at its own address, where its links listen.
func (c *etcdCluster) configure() error {
	m := c.w.mesh
	peers := map[string]string{}
	for _, n := range c.nodes {
		own, err := m.Host(n.name)
		if err != nil {
			return err
		}
		n.client, n.peer = net.JoinHostPort(own, strconv.Itoa(etcdClientPort)), net.JoinHostPort(own, strconv.Itoa(etcdPeerPort))
		port, err := m.Port(n.name)
		if err != nil {
			return err
		}
		peers[n.name] = net.JoinHostPort(n.name+".dlsim.test", strconv.Itoa(port))
		m.Alias(etcdName, n.name)
		if len(c.nodes) > 1 {
			m.Stop(n.name) // until it serves
		}
	}
	for _, n := range c.nodes {
		own, err := m.Host(n.name)
		if err != nil {
			return err
		}
		hosts := map[string]string{}
		for _, other := range c.nodes {
			hosts[other.name+".dlsim.test"] = own
			if other == n {
				continue
			}
			if _, err := m.PairBulk(n.name, other.name, other.peer); err != nil {
				return err
			}
		}
		n.config = etcdnode.Config{
			Name: n.name, Dir: filepath.Join(c.w.folder, n.name), Keep: true,
			ListenPeer: n.peer, ListenClient: n.client, AdvertisePeer: peers[n.name], Peers: peers, Hosts: hosts,
			Tick: etcdTick, NoFsync: true, Log: filepath.Join(c.w.folder, n.name+".log"),
		}
		if len(c.nodes) == 1 {
			n.config.AdvertisePeer, n.config.Peers, n.config.Hosts = n.peer, nil, nil
		}
	}
	return nil
}

func (c *etcdCluster) spawn(n *etcdNode) (err error) {
	n.process, err = etcdnode.Spawn(n.config)
	return err
}

func (n *etcdNode) serves() bool { return n.direct != nil && n.process != nil && !n.paused }

func (c *etcdCluster) node(name string) *etcdNode {
	if c != nil {
		for _, n := range c.nodes {
			if n.name == name {
				return n
			}
		}
	}
	return nil
}

// leader is the node that leads by the word of any node that serves, nil while there is none.
func (c *etcdCluster) leader() *etcdNode {
	for _, n := range c.nodes {
		if !n.serves() {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), barrierBound)
		s, err := n.direct.Status(ctx, "http://"+n.client)
		cancel()
		if err != nil || s.Leader == 0 {
			continue
		}
		for _, other := range c.nodes {
			if !other.serves() {
				continue
			}
			ctx, cancel := context.WithTimeout(context.Background(), barrierBound)
			o, err := other.direct.Status(ctx, "http://"+other.client)
			cancel()
			if err == nil && o.Header.MemberId == s.Leader {
				return other
			}
		}
	}
	return nil
}

// act has the cluster misbehave.
func (c *etcdCluster) act(a sim.StoreAct) (sim.Effect, error) {
	n := c.node(a.Target)
	if n == nil {
		if a.Target != "" && a.Target != "leader" {
			return nil, notThere(a.Target)
		}
		if n = c.leader(); n == nil {
			n = c.nodes[0]
		}
	}
	if c.struck || c.rebuilding {
		return nil, fmt.Errorf("etcd is being struck already")
	}
	c.struck = true
	defer func() { c.struck = false }()
	switch a.Kind {
	case sim.LeaderLoss, sim.Stall:
		return c.pause(n)
	case sim.Crash:
		return c.crash(n)
	case sim.Restore:
		return c.restore(a.Loses)
	}
	return nil, fmt.Errorf("etcd cannot %q", a.Kind)
}

// hush holds back what a node answers and takes up what it has done, so that no client has heard of
// anything that the history lacks. What is held back goes on when release is called.
func (c *etcdCluster) hush(n *etcdNode) (release func(), err error) {
	held, err := c.w.mesh.Apply(sim.Link{From: "*", To: n.name}, sim.LinkCondition{Mode: sim.Hold, Replies: true})
	if err != nil {
		return nil, err
	}
	c.catchUp()
	return held.Release, nil
}

// pause stops a node. Stopping the leader is how its loss is done: the others elect another, and a
// cluster of one stands still.
func (c *etcdCluster) pause(n *etcdNode) (sim.Effect, error) {
	if !n.serves() {
		return nil, fmt.Errorf("%s is not running", n.name)
	}
	release, err := c.hush(n)
	if err != nil {
		return nil, err
	}
	defer release()
	if err := n.process.Signal(syscall.SIGSTOP); err != nil {
		return nil, err
	}
	n.paused = true
	met := c.w.mesh.Messages(etcdName)
	c.w.annotate(history.ProcessPaused, n.name)
	count := func() int { return int(c.w.mesh.Messages(etcdName) - met) }
	return &effect{count: count, heal: func() {
		if n.process == nil || !n.paused {
			return
		}
		n.paused = false
		if err := n.process.Signal(syscall.SIGCONT); err != nil {
			c.w.fail(err)
		}
		c.w.annotate(history.ProcessResumed, n.name)
	}}, nil
}

// crash kills a node; it comes back on its data.
func (c *etcdCluster) crash(n *etcdNode) (sim.Effect, error) {
	if n.process == nil {
		return nil, fmt.Errorf("%s is not running", n.name)
	}
	release, err := c.hush(n)
	if err != nil {
		return nil, err
	}
	c.kill(n)
	release()
	c.w.annotate(history.ProcessKilled, n.name)
	return &effect{count: func() int { return 1 }, heal: func() { c.revive(n) }}, nil
}

// kill ends a node at once; its data stays.
func (c *etcdCluster) kill(n *etcdNode) {
	if n.direct != nil { // else it is only coming up
		n.stopWatch()
		_ = n.direct.Close() // it is ours and the node is about to go
		n.direct = nil
	}
	n.process.Kill()
	n.process, n.paused = nil, false
	c.w.mesh.Stop(n.name)
}

// revive starts a node that was killed; the rest of the world goes on while it comes up.
func (c *etcdCluster) revive(n *etcdNode) {
	if n.process != nil || c.rebuilding {
		return
	}
	if err := c.spawn(n); err != nil {
		c.w.fail(err)
		return
	}
	started := n.process
	c.w.beside(&c.coming, func() error {
		ctx, cancel := context.WithTimeout(c.w.ctx, startBound)
		defer cancel()
		return started.Started(ctx)
	}, func(err error) {
		if n.process != started {
			return // killed again before it was up
		}
		if err == nil {
			err = c.w.mesh.Start(n.name)
		}
		if err == nil {
			err = c.watch(n)
		}
		if err != nil {
			c.w.fail(err)
			return
		}
		c.w.annotate(history.ProcessStarted, n.name)
	})
}

func (c *etcdCluster) close() {
	c.coming.Wait()
	for _, n := range c.nodes {
		if n.stopWatch != nil {
			n.stopWatch()
		}
		if n.direct != nil {
			_ = n.direct.Close() // it is ours and the node is about to go
		}
		if n.process != nil {
			n.process.Kill()
			n.process.Stop()
			n.process = nil
		}
		if err := os.RemoveAll(n.config.Dir); err != nil && !errors.Is(err, os.ErrNotExist) {
			c.w.fail(err)
		}
	}
}
