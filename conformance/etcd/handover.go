package etcd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"dlsim/sim/live/etcdnode"
	model "dlsim/sim/virtual/etcd"

	fuzz "github.com/google/gofuzz"
	"google.golang.org/grpc"
)

// Trio is a real cluster of three in this process. Its client talks to the first node only, whose
// answers never fall behind what the client has been told.
type Trio struct {
	Server
	nodes []*etcdnode.Node
}

// trioElection is the election time-out of a trio, and so the extension that a new leader gives.
const trioElection = 500 * time.Millisecond

// NewTrio starts one with its data below dir. The nodes must know each other's addresses before they
// listen, so somebody else may take one in between: then it tries with others.
func NewTrio(ctx context.Context, dir string) (t *Trio, err error) {
	for try := range 5 {
		if t, err = startTrio(ctx, filepath.Join(dir, strconv.Itoa(try))); !errors.Is(err, syscall.EADDRINUSE) {
			break
		}
	}
	return t, err
}

func startTrio(ctx context.Context, dir string) (*Trio, error) {
	addrs, err := etcdnode.FreeAddresses(3)
	if err != nil {
		return nil, err
	}
	peers := map[string]string{}
	for i, a := range addrs {
		peers["n"+strconv.Itoa(i)] = a
	}
	t := &Trio{}
	for i, a := range addrs {
		name := "n" + strconv.Itoa(i)
		n, err := etcdnode.Start(etcdnode.Config{
			Name: name, Dir: filepath.Join(dir, name), Peers: peers, ListenPeer: a,
			Tick: trioElection / 10, Election: trioElection, NoFsync: true,
		})
		if err != nil {
			t.Stop()
			return nil, err
		}
		t.nodes = append(t.nodes, n)
	}
	if err := etcdnode.Ready(ctx, t.nodes[0].Client()); err != nil {
		t.Stop()
		return nil, err
	}
	t.client, err = etcdnode.DialWith([]grpc.DialOption{grpc.WithChainUnaryInterceptor(chooseLease)}, t.nodes[0].Client())
	if err != nil {
		t.Stop()
		return nil, err
	}
	return t, nil
}

// Stop ends it.
func (t *Trio) Stop() {
	if t.client != nil {
		t.client.Close()
	}
	for _, n := range t.nodes {
		n.Stop()
	}
}

// GenerateHandover draws a program in which leases live through one or two changes of the leader.
func GenerateHandover(seed int64) (p Program) {
	fuzz.NewWithSeed(seed).Funcs(func(p *Program, c fuzz.Continue) {
		for i, name := range []string{"A", "B"} {
			*p = append(*p,
				Step{Verb: Grant, Lease: name, TTL: int64(2 + 2*i + c.Intn(2))},
				Step{Verb: Put, Key: keyNames[i], Value: name, Lease: name})
		}
		for range 1 + c.Intn(2) {
			*p = append(*p, pause(c, 15), Step{Verb: Handover})
			for range 1 + c.Intn(3) {
				*p = append(*p, afterHandover(c), pause(c, 10))
			}
		}
		// Without the list of leases at the end: a node that does not lead has them in no order.
		*p = append(*p, ending[:len(ending)-1]...)
		*p = append(*p, pause(c, 30))
		*p = append(*p, ending[:len(ending)-1]...)
	}).Fuzz(&p)
	return p
}

func pause(c fuzz.Continue, tenths int) Step {
	return Step{Verb: Advance, For: time.Duration(1+c.Intn(tenths)) * 100 * time.Millisecond}
}

func afterHandover(c fuzz.Continue) Step {
	name := pick(c, []string{"A", "B"})
	switch c.Intn(6) {
	case 0:
		return Step{Verb: KeepAlive, Lease: name}
	case 1:
		return Step{Verb: Put, Key: "c", Value: name, Lease: name}
	case 2:
		return Step{Verb: Get, Key: "a", End: "z"}
	}
	return Step{Verb: TTL, Lease: name, Keys: true}
}

// Run is RunTimed for three nodes. The new leader looks for expired leases at a pace of its own, so
// steps stay away from the whole time in which it may find one.
func (t *Trio) Run(ctx context.Context, p Program) (*Difference, error) {
	return settled(func() (*Difference, bool, error) { return t.try(ctx, p) })
}

func (t *Trio) try(ctx context.Context, p Program) (d *Difference, late bool, err error) {
	real, err := t.begin(ctx)
	if err != nil {
		return nil, false, err
	}
	start := time.Now()
	clock := func() int64 { return 1 + int64(time.Since(start)) }
	b := newBench(1, model.Options{Nodes: 3, Election: trioElection, Seed: 1})
	b.elects = time.Nanosecond // the model's election takes place when the real one is over
	virtual := newWorld(model.NewKV(b), model.NewLease(b), 0)
	var answers []string
	for _, step := range p {
		b.to(clock())
		switch step.Verb {
		case Advance:
			time.Sleep(step.For)
			answers = append(answers, "")
			continue
		case Handover:
			// A lease that has expired and has not been found yet would live on or not by chance.
			b.settle(clock, 0, 0)
			if took, err := t.handOver(ctx); err != nil {
				return nil, false, err
			} else if took > clear {
				return nil, true, nil
			}
			b.to(clock())
			b.cluster.LoseLeader()
			b.to(b.now + 1)
			answers = append(answers, "")
			continue
		}
		id, ttl := b.counted(step, virtual)
		b.settle(clock, id, ttl)
		before := clock()
		b.to(before)
		windows := b.windows()
		want := real.do(ctx, step)
		if err := ctx.Err(); err != nil {
			return nil, false, fmt.Errorf("%s: %w", step, err)
		}
		if clock()-before > int64(clear)/2 && hits(windows, before, clock()) {
			return nil, true, nil
		}
		answers = append(answers, want)
		if got := virtual.do(ctx, step); got != want {
			return &Difference{Program: p, Answers: answers, Model: got}, false, nil
		}
	}
	return nil, false, nil
}

// handOver changes the leader and waits until the new one leads.
func (t *Trio) handOver(ctx context.Context) (took time.Duration, err error) {
	for i, old := range t.nodes {
		if !old.Leads() {
			continue
		}
		next := t.nodes[(i+1)%len(t.nodes)]
		began := time.Now()
		if err := old.HandOver(ctx, next); err != nil {
			return 0, fmt.Errorf("change the leader: %w", err)
		}
		for !next.Leads() {
			time.Sleep(time.Millisecond)
		}
		took = time.Since(began)
		if _, err := t.client.Get(ctx, "\x00"); err != nil { // the others have to hear of it
			return 0, fmt.Errorf("after a change of the leader: %w", err)
		}
		return took, nil
	}
	return 0, fmt.Errorf("no node leads")
}

// windows are the times in which an answer may hang on milliseconds, or on when the leader looks.
func (b *bench) windows() (out [][2]int64) {
	for _, end := range b.expires {
		out = append(out, [2]int64{end - int64(clear), end + int64(check+clear)})
		for t := end; t > b.now-int64(time.Second); t -= int64(time.Second) {
			out = append(out, [2]int64{t - int64(clear), t + int64(clear)})
		}
	}
	return out
}

func hits(windows [][2]int64, from, to int64) bool {
	for _, w := range windows {
		if w[0] < to && from < w[1] {
			return true
		}
	}
	return false
}

// settle waits until the model stands in no window, and a lease counted anew would expire at
// another check than every other.
func (b *bench) settle(clock func() int64, id, ttl int64) {
	for b.to(clock()); ; b.to(clock()) {
		wait := time.Duration(0)
		for _, w := range b.windows() {
			if w[0] <= b.now && b.now <= w[1] {
				wait = max(wait, time.Duration(w[1]-b.now)+1)
			}
		}
		if end := b.now + ttl*int64(time.Second); ttl > 0 && wait == 0 {
			for other, ends := range b.expires {
				if apart := end - ends; other != id && apart > -int64(check+clear) && apart < int64(check+clear) {
					wait = 100 * time.Millisecond
				}
			}
		}
		if wait == 0 {
			return
		}
		time.Sleep(wait)
	}
}
