package etcd

import (
	"context"
	"errors"
	"fmt"
	"time"

	model "dlsim/sim/virtual/etcd"

	fuzz "github.com/google/gofuzz"
	clientv3 "go.etcd.io/etcd/client/v3"
)

const (
	// check is how often a leader looks for expired leases.
	check = 500 * time.Millisecond
	// clear is how far a step stays from every moment at which its answer changes.
	clear = 60 * time.Millisecond
)

// GenerateTimed draws a program in which leases of one to three seconds expire.
func GenerateTimed(seed int64) (p Program) {
	fuzz.NewWithSeed(seed).Funcs(func(p *Program, c fuzz.Continue) {
		for _, name := range leaseNames[:1+c.Intn(3)] {
			*p = append(*p, Step{Verb: Grant, Lease: name, TTL: int64(c.Intn(4))})
			*p = append(*p, Step{Verb: Put, Key: pick(c, keyNames), Value: name, Lease: name})
		}
		if chance(c, 25) { // a keepalive between a lease's expiry and its end, seldom met by chance
			*p = append(*p, Step{Verb: Grant, Lease: "D", TTL: 1}, Step{Verb: Advance, For: time.Second}, Step{Verb: KeepAlive, Lease: "D"})
		}
		for range 5 + c.Intn(8) {
			*p = append(*p, drawTimed(c, len(*p)))
		}
		spare(*p)
		*p = append(*p, ending...)
	}).Fuzz(&p)
	return p
}

func drawTimed(c fuzz.Continue, at int) Step {
	name := pick(c, leaseNames[:3])
	switch n := c.Intn(100); {
	case n < 30:
		return Step{Verb: Advance, For: time.Duration(1+c.Intn(15)) * 100 * time.Millisecond}
	case n < 48:
		return Step{Verb: KeepAlive, Lease: name}
	case n < 64:
		return Step{Verb: TTL, Lease: name, Keys: true}
	case n < 76:
		return Step{Verb: Put, Key: pick(c, keyNames), Value: name, Lease: name}
	case n < 84:
		return Step{Verb: Get, Key: "a", End: "z"}
	case n < 89:
		return Step{Verb: Revoke, Lease: name}
	case n < 94:
		return Step{Verb: Leases}
	case n < 97:
		return drawTxn(c, at)
	}
	return Step{Verb: Grant, Lease: name, TTL: int64(c.Intn(4))}
}

// measure finds when the node looks for expired leases, which it does at a steady pace from its
// start: a key whose lease has expired goes at such a moment. ErrLate means that the machine is too
// busy for it to show.
func (s *Server) measure(ctx context.Context) error {
	for range 40 {
		lease, err := s.client.Grant(ctx, 1)
		if err != nil {
			return fmt.Errorf("measure the node's checks: %w", err)
		}
		put, err := s.client.Put(ctx, "phase", "", clientv3.WithLease(lease.ID))
		if err != nil {
			return fmt.Errorf("measure the node's checks: %w", err)
		}
		seen, stop := context.WithCancel(ctx)
		w := s.client.Watch(seen, "phase", clientv3.WithRev(put.Header.Revision+1))
		select {
		case <-w:
		case <-ctx.Done():
			stop()
			return ctx.Err()
		}
		at := time.Now()
		stop()
		// A machine that is busy shows it late: the earliest place in the beat is the right one.
		if s.origin.IsZero() || later(s.origin, at) > check/2 {
			s.origin, s.agreed = at, 0
		}
		if later(s.origin, at) < 10*time.Millisecond {
			s.agreed++
		}
		if s.agreed >= 2 {
			return nil
		}
	}
	s.origin = time.Time{}
	return ErrLate
}

// later is how much later in the beat a time is than the origin.
func later(origin, at time.Time) time.Duration { return at.Sub(origin) % check }

// RunTimed is Run for a program in which time passes. The model's clock follows the real one, and
// each step is made at a moment when some milliseconds more or less do not matter. ErrLate means
// that the machine did not let that happen.
func (s *Server) RunTimed(ctx context.Context, p Program) (*Difference, error) {
	return settled(func() (*Difference, bool, error) { return s.tryTimed(ctx, p) })
}

// ErrLate is returned when too often a step took so long that its answer means nothing.
var ErrLate = errors.New("etcd: the machine is too slow for timed programs")

// settled repeats a timed program until it agrees, or differs three times: a server that gets no
// processor for a while looks as if it forgot its leases, but hardly three times at one place.
func settled(try func() (*Difference, bool, error)) (*Difference, error) {
	differed := 0
	for range 8 {
		d, late, err := try()
		switch {
		case err != nil:
			return nil, err
		case late:
		case d == nil:
			return nil, nil
		default:
			if differed++; differed == 3 {
				return d, nil
			}
		}
	}
	return nil, ErrLate
}

func (s *Server) tryTimed(ctx context.Context, p Program) (d *Difference, late bool, err error) {
	if s.origin.IsZero() {
		if err := s.measure(ctx); err != nil {
			return nil, false, err
		}
	}
	real, err := s.begin(ctx)
	if err != nil {
		return nil, false, err
	}
	// The model's leader counts its checks from its start: it starts at one of the node's.
	start := s.origin.Add(time.Since(s.origin).Truncate(check))
	clock := func() int64 { return 1 + int64(time.Since(start)) }
	b, virtual := newModel(1, 1)
	var answers []string
	for _, step := range p {
		if step.Verb == Advance {
			time.Sleep(step.For)
			answers = append(answers, "")
			continue
		}
		b.to(clock())
		id, ttl := b.counted(step, virtual)
		for wait := b.unclear(id, ttl); wait > 0; wait = b.unclear(id, ttl) {
			time.Sleep(wait)
			b.to(clock())
		}
		before := clock()
		b.to(before)
		events, awaits := b.moments(), b.ended(id)
		want := real.do(ctx, step)
		if err := ctx.Err(); err != nil {
			return nil, false, fmt.Errorf("%s: %w", step, err)
		}
		got := virtual.do(ctx, step)
		// A keepalive of a lease that has expired waits for its end; nothing else takes long.
		switch after := clock(); {
		case awaits && after-before > int64(check+clear), !awaits && near(events, before, after), b.now-after > int64(clear):
			return nil, true, nil
		}
		answers = append(answers, want)
		if got != want {
			return &Difference{Program: p, Answers: answers, Model: got}, false, nil
		}
	}
	return nil, false, nil
}

// moments are the times at which some lease expires, is found to have expired, or has a whole
// second left.
func (b *bench) moments() (at []int64) {
	for _, end := range b.expires {
		if end > b.now+int64(time.Hour) {
			continue
		}
		at = append(at, end, beat(end))
		for t := end; t > b.now-int64(time.Second); t -= int64(time.Second) {
			at = append(at, t)
		}
	}
	return at
}

// ended reports whether a lease has expired, though it lives.
func (b *bench) ended(id int64) bool {
	end, lives := b.expires[id]
	return lives && end <= b.now
}

// beat is when the leader finds a lease that expires at a time.
func beat(end int64) int64 {
	const c = int64(check)
	return 1 + (end-1+c-1)/c*c
}

// near reports whether a moment lies between two times, or close to them.
func near(moments []int64, from, to int64) bool {
	const margin = int64(clear) / 3
	for _, m := range moments {
		if m >= from-margin && m <= to+margin {
			return true
		}
	}
	return false
}

// counted is the lease that a step makes the leader count anew, and for how many seconds; 0 for
// none.
func (b *bench) counted(s Step, w *world) (id, ttl int64) {
	switch s.Verb {
	case Grant:
		return s.ID, max(s.TTL, 1)
	case KeepAlive:
		id = int64(w.lease(s.Lease))
		return id, b.granted[id]
	}
	return 0, 0
}

// unclear says how long to wait until the step's answer does not hang on milliseconds, 0 if it
// does not. A lease must not come to expire at the same check as another either: the server
// revokes those side by side.
func (b *bench) unclear(id, ttl int64) time.Duration {
	for _, m := range b.moments() {
		if d := m - b.now; d > -int64(clear) && d < int64(clear) {
			return time.Duration(d) + clear
		}
	}
	if ttl == 0 {
		return 0
	}
	end := b.now + ttl*int64(time.Second)
	if d := beat(end) - end; d < int64(clear) || d > int64(check-clear) {
		return clear
	}
	for other, ends := range b.expires {
		if other != id && beat(ends) == beat(end) {
			return check - clear
		}
	}
	return 0
}

var _ model.Env = (*bench)(nil)
