package etcd

import (
	"context"
	"errors"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// number reads a setting of the suite: SEED, where the seeds begin, and COUNT, how many programs.
func number(t *testing.T, name string, otherwise int64) int64 {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

func newServers(ctx context.Context, t *testing.T, n int) []*Server {
	servers := make([]*Server, n)
	dir := t.TempDir()
	for i := range servers {
		s, err := NewServer(ctx, dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Stop)
		servers[i] = s
	}
	return servers
}

// Programs in which time passes could be shrunk for hours.
const shrinkFor = 20 * time.Second

var errEnough = errors.New("it has had its time")

// each gives the seeds from first on to the servers, and reports the first difference it meets.
func each(t *testing.T, servers []*Server, first, count int64, run func(*Server, Program) (*Difference, error), generate func(int64) Program) (steps int64) {
	var next, total atomic.Int64
	next.Store(first)
	var all sync.WaitGroup
	for _, s := range servers {
		all.Go(func() {
			for seed := next.Add(1) - 1; seed < first+count && !t.Failed(); seed = next.Add(1) - 1 {
				p := generate(seed)
				total.Add(int64(len(p)))
				d, err := run(s, p)
				if err != nil {
					t.Errorf("seed %d: %v", seed, err)
					return
				}
				if d == nil {
					continue
				}
				until := time.Now().Add(shrinkFor)
				d, err = Shrink(d, func(p Program) (*Difference, error) {
					if time.Now().After(until) {
						return nil, errEnough
					}
					return run(s, p)
				})
				t.Errorf("seed %d: the model differs at %v", seed, d)
				if err != nil {
					t.Logf("shrinking ended early: %v", err)
				}
				return
			}
		})
	}
	all.Wait()
	return total.Load()
}

func TestSequencesAgree(t *testing.T) {
	t.Parallel()
	ctx := within(t, 30*time.Minute)
	first, count := number(t, "SEED", 1), number(t, "COUNT", 400)
	servers := newServers(ctx, t, 2)
	began := time.Now()
	var passing atomic.Int64
	// A difference must come again. The server sorts leases by what they have left at the moment of
	// each comparison: one that loses the processor in between tells two leases in the wrong order.
	run := func(s *Server, p Program) (d *Difference, err error) {
		for try := range 3 {
			if d, err = s.Run(ctx, p); d == nil || err != nil {
				passing.Add(int64(min(try, 1)))
				return nil, err
			}
		}
		return d, nil
	}
	steps := each(t, servers, first, count, run, Generate)
	t.Logf("SEED=%d COUNT=%d: %d steps compared in %v, %d differences that did not come again",
		first, count, steps, time.Since(began).Round(time.Millisecond), passing.Load())
	if passing.Load() > 2+count/5000 {
		t.Errorf("%d differences did not come again: too many for chance", passing.Load())
	}
}

func TestLeasesExpireAlike(t *testing.T) {
	t.Parallel()
	ctx := within(t, 30*time.Minute)
	first, count := number(t, "SEED", 1), min(number(t, "COUNT", 8), 600)
	servers := newServers(ctx, t, int(min(count, 40)))
	began := time.Now()
	var late atomic.Int64
	run := func(s *Server, p Program) (*Difference, error) {
		d, err := s.RunTimed(ctx, p)
		if errors.Is(err, ErrLate) {
			late.Add(1)
			return nil, nil
		}
		return d, err
	}
	steps := each(t, servers, first, count, run, GenerateTimed)
	t.Logf("SEED=%d COUNT=%d: %d steps compared in %v, %d programs given up as too late",
		first, count, steps, time.Since(began).Round(time.Millisecond), late.Load())
	if late.Load()*2 > count {
		t.Errorf("%d of %d programs could not be judged", late.Load(), count)
	}
}

// Several programs at once: they mostly sleep.
func TestANewLeaderRenewsLeases(t *testing.T) {
	t.Parallel()
	ctx := within(t, 30*time.Minute)
	first, count := number(t, "SEED", 1), min(number(t, "COUNT", 4), 60)
	began := time.Now()
	var next, late atomic.Int64
	next.Store(first)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			trio, err := NewTrio(ctx, t.TempDir())
			if err != nil {
				t.Error(err)
				return
			}
			defer trio.Stop()
			for seed := next.Add(1) - 1; seed < first+count && !t.Failed(); seed = next.Add(1) - 1 {
				d, err := trio.Run(ctx, GenerateHandover(seed))
				switch {
				case errors.Is(err, ErrLate):
					late.Add(1)
				case err != nil:
					t.Errorf("seed %d: %v", seed, err)
				case d != nil:
					t.Errorf("seed %d: the model differs at %v", seed, d)
				}
			}
		})
	}
	all.Wait()
	t.Logf("SEED=%d COUNT=%d in %v, %d programs given up as too late", first, count, time.Since(began).Round(time.Millisecond), late.Load())
	if late.Load()*2 > count {
		t.Errorf("%d of %d programs could not be judged", late.Load(), count)
	}
}
