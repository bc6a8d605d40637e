package etcd

import (
	"slices"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// errBlocked is what a server answers when a proposal found no leader until its time was up: the
// bare context error, as gRPC renders it.
var errBlocked = status.Error(codes.DeadlineExceeded, "context deadline exceeded")

func (c *Cluster) connected(node int) bool { return c.nodes[node].up && c.nodes[node].reaches }

// led reports whether a node has a leader that has a quorum.
func (c *Cluster) led(node int) bool { return c.leader >= 0 && c.connected(node) }

// follows reports whether a node still takes the pretender for its leader.
func (c *Cluster) follows(node int) bool {
	return c.pretender >= 0 && (node == c.pretender || c.connected(node) && c.connected(c.pretender))
}

// hold keeps a request that cannot be served now.
func (c *Cluster) hold(k *call, how manner) {
	c.held++
	switch how {
	case forwarded:
		c.toLeader(k)
	case confirmed:
		c.waiting = append(c.waiting, k)
		c.bound(k, rpctypes.ErrGRPCTimeout)
	case proposed:
		switch {
		case tooLarge(k.req):
			c.answer(k, nil, rpctypes.ErrGRPCRequestTooLarge)
		case c.follows(k.node):
			// In the pretender's log. Another leader elected means it will be cut off.
			if c.leader < 0 {
				c.tail, c.tailOf = append(c.tail, k), c.pretender
			}
			c.bound(k, rpctypes.ErrGRPCTimeout)
		default:
			c.waiting = append(c.waiting, k)
			c.bound(k, errBlocked)
		}
	}
}

// bound answers k with err when the server's request time-out has passed.
func (c *Cluster) bound(k *call, err error) {
	k.timer = c.env.After(c.timeout, func() {
		k.timer = nil
		c.waiting = without(c.waiting, k)
		if err == rpctypes.ErrGRPCTimeout && mannerOf(k.req) == proposed && c.led(k.node) {
			// Taken by a leader that is gone, while this node has found another.
			err = rpctypes.ErrGRPCTimeoutDueToConnectionLost
		}
		c.answer(k, nil, err)
	})
}

// Held counts the requests that could not be served when they came.
func (c *Cluster) Held() int64 { return c.held }

// answer replies unless that has been done or the node has died since.
func (c *Cluster) answer(k *call, resp any, err error) {
	if k.timer != nil {
		k.timer()
		k.timer = nil
	}
	if n := &c.nodes[k.node]; k.done || !n.up || n.epoch != k.epoch {
		return
	}
	k.done = true
	k.reply(resp, err)
}

func without(calls []*call, k *call) []*call {
	if i := slices.Index(calls, k); i >= 0 {
		return slices.Delete(calls, i, i+1)
	}
	return calls
}

// toLeader serves a request that the leader answers from memory, or goes looking for one.
func (c *Cluster) toLeader(k *call) {
	if !c.led(k.node) && !c.follows(k.node) {
		c.seekLeader(k)
		return
	}
	switch r := k.req.(type) {
	case *pb.LeaseKeepAliveRequest:
		c.keepAlive(k)
	case *pb.LeaseTimeToLiveRequest:
		c.answer(k, c.timeToLive(k.node, r), nil)
	}
}

// seekLeader looks again after each election time-out, until the request's time is up.
func (c *Cluster) seekLeader(k *call) {
	wait := c.election
	if left := c.timeout - time.Duration(k.polls)*c.election; left <= wait {
		k.timer = c.env.After(max(left, 1), func() {
			k.timer = nil
			c.answer(k, nil, rpctypes.ErrGRPCNoLeader)
		})
		return
	}
	k.polls++
	k.timer = c.env.After(wait, func() {
		k.timer = nil
		if n := &c.nodes[k.node]; n.up && n.epoch == k.epoch {
			c.toLeader(k)
		}
	})
}

// LoseLeader has the leader give up: no leader until the election is over. Another node wins if one
// can. Without a leader it does nothing.
func (c *Cluster) LoseLeader() {
	if c.leader < 0 {
		return
	}
	c.unseat()
	c.settle()
	c.publish()
}

// StopNode ends a node's server at once. Requests that it has not answered stay unanswered.
func (c *Cluster) StopNode(node int) {
	n := &c.nodes[node]
	if !n.up {
		return
	}
	c.shown(node)
	n.up = false
	n.epoch++
	c.waiting = slices.DeleteFunc(c.waiting, func(k *call) bool {
		if k.node == node && k.timer != nil {
			k.timer()
		}
		return k.node == node
	})
	if c.pretender == node {
		c.wake()
	}
	c.settle()
	c.publish()
}

// StartNode starts a node's server with what it had on disk.
func (c *Cluster) StartNode(node int) {
	n := &c.nodes[node]
	if n.up {
		return
	}
	n.up, n.started = true, c.env.Now()
	c.settle()
	c.publish()
}

// SetReachable cuts a node off from its peers, or joins it again. Clients reach it all the same.
// The only node of a cluster counts itself as a peer: cut off, it cannot commit (a stalled disk).
func (c *Cluster) SetReachable(node int, reachable bool) {
	n := &c.nodes[node]
	if n.reaches == reachable {
		return
	}
	c.shown(node)
	n.reaches = reachable
	c.settle()
	c.publish()
}

// Up reports whether a node's server runs.
func (c *Cluster) Up(node int) bool { return c.nodes[node].up }

// unseat takes the leader's quorum away.
func (c *Cluster) unseat() {
	c.nodes[c.leader].applied = c.store.rev
	c.last, c.leader = c.leader, -1
	c.suspend()
}

// settle draws the consequences of a node coming, going or losing its leadership.
func (c *Cluster) settle() {
	members := 0
	for i := range c.nodes {
		if c.connected(i) {
			members++
		}
	}
	quorum := members*2 > len(c.nodes)

	if c.leader >= 0 && (!quorum || !c.connected(c.leader)) {
		old := c.leader
		if c.nodes[old].up {
			// It finds out when no heartbeat was answered for one election time-out. Until then it
			// keeps its leases as they are.
			c.nodes[old].applied = c.store.rev
			c.last, c.leader, c.pretender = old, -1, old
			c.forgetExpiry()
			c.stepDown = c.env.After(c.election, func() {
				c.stepDown = nil
				c.wake()
				c.publish()
			})
		} else {
			c.unseat()
		}
	}
	switch {
	case c.leader >= 0:
		if c.pretender >= 0 && c.connected(c.pretender) {
			c.wake() // it hears of the new leader
		}
		c.admit()
	case quorum && c.pretender >= 0 && c.connected(c.pretender):
		c.leader = c.pretender
		c.forgetPretender()
		c.stopElection()
		for _, l := range c.leases.live {
			if l.expires != 0 {
				c.expectExpiry(l.expires)
			}
		}
		c.commitTail()
		c.admit()
	case quorum && c.electing == nil:
		c.electing = c.env.After(c.env.Election(), c.elect)
	case !quorum:
		c.stopElection()
	}
}

func (c *Cluster) stopElection() {
	if c.electing != nil {
		c.electing()
		c.electing = nil
	}
}

// forgetPretender ends the pretence, one way or the other.
func (c *Cluster) forgetPretender() {
	if c.stepDown != nil {
		c.stepDown()
		c.stepDown = nil
	}
	c.pretender = -1
}

// wake has the pretender notice that it does not lead.
func (c *Cluster) wake() {
	c.forgetPretender()
	if c.leader < 0 {
		c.suspend()
	}
}

// elect makes a node the leader: the one with the longest log, else the next after the last one.
func (c *Cluster) elect() {
	c.electing = nil
	winner := -1
	if len(c.tail) > 0 && c.connected(c.tailOf) {
		winner = c.tailOf
	}
	for i := 1; i <= len(c.nodes) && winner < 0; i++ {
		if n := (c.last + i) % len(c.nodes); c.connected(n) {
			winner = n
		}
	}
	c.leader = winner
	c.term++
	c.suspend() // what the pretender counted, if it is still there
	if winner == c.tailOf {
		c.commitTail()
	}
	c.tail, c.tailOf = nil, -1
	c.extend()
	c.publish()
	c.admit()
}

// commitTail applies what the leader had taken before it lost its quorum. Some of it has been
// answered with a time-out by now, and happens all the same.
func (c *Cluster) commitTail() {
	tail := c.tail
	c.tail, c.tailOf = nil, -1
	for _, k := range tail {
		resp, err := c.serve(k.node, k.req)
		c.publish()
		c.answer(k, resp, err)
	}
}

// admit lets those go on who waited for a leader: writes are proposed to it, reads fail because
// the leader they waited for changed.
func (c *Cluster) admit() {
	for i := 0; i < len(c.waiting); {
		k := c.waiting[i]
		if !c.led(k.node) {
			i++
			continue
		}
		c.waiting = slices.Delete(c.waiting, i, i+1)
		if mannerOf(k.req) == confirmed {
			c.answer(k, nil, rpctypes.ErrGRPCLeaderChanged)
		} else {
			resp, err := c.serve(k.node, k.req)
			c.publish()
			c.answer(k, resp, err)
		}
		i = 0 // the answer may have changed everything
	}
}
