package sched

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// drain runs the scheduler until nothing is left to do.
func drain(s *Scheduler) {
	for s.Step(1 << 62) {
	}
}

func TestTimersFireByTimeThenInTheOrderTheyWereArmed(t *testing.T) {
	s := New(Keyed(1), &Pool{})
	var fired []string
	note := func(name string) func() { return func() { fired = append(fired, fmt.Sprint(name, "@", s.Now())) } }
	s.After(20, nil, note("c"))
	s.After(10, nil, note("a"))
	s.After(10, nil, note("b"))
	stopped := s.After(15, nil, note("never"))
	s.Stop(stopped)
	s.After(0, nil, note("now"))
	drain(s)
	if got, want := strings.Join(fired, " "), "now@0 a@10 b@10 c@20"; got != want {
		t.Fatalf("fired %q, want %q", got, want)
	}
}

func TestAPausedNodeKeepsWhatCameDueInOrderAndRunsItOnResume(t *testing.T) {
	s := New(Keyed(1), &Pool{})
	n := s.Node("executor-1")
	n.Start()
	var woke []int64
	for _, d := range []int64{30, 10, 20} {
		n.Go("sleeper", func() {
			s.Current().Sleep(d)
			s.Current().Alive()
			woke = append(woke, d, s.Now())
		})
	}
	s.Step(0)
	s.Step(0)
	s.Step(0)
	first, second := n.Pause(), n.Pause()
	s.After(100, nil, first)
	s.After(200, nil, second)
	drain(s)
	if want := []int64{10, 200, 20, 200, 30, 200}; !slices.Equal(woke, want) {
		t.Fatalf("woke %v, want %v", woke, want)
	}
	if n.Waited() != 3 {
		t.Fatalf("%d timers waited, want 3", n.Waited())
	}
}

func TestAKilledNodesTasksTakeNoFurtherStepAndTheirStacksAreReused(t *testing.T) {
	pool := &Pool{}
	s := New(Keyed(1), pool)
	n := s.Node("proxy-1")
	n.Start()
	var ran []string
	n.Go("parked", func() {
		defer func() {
			if !s.Current().Killed() {
				ran = append(ran, "deferred with effect")
			}
		}()
		s.Current().Park()
		ran = append(ran, "parked went on")
	})
	n.Go("killer", func() {
		n.Kill()
		s.Current().Alive()
		ran = append(ran, "killer went on")
	})
	n.Go("unborn", func() { ran = append(ran, "unborn ran") })
	drain(s)
	if len(ran) != 0 {
		t.Fatalf("after the kill: %v", ran)
	}
	if n.Tasks() != 0 || len(pool.idle) != 3 {
		t.Fatalf("%d tasks live and %d stacks idle, want 0 and 3", n.Tasks(), len(pool.idle))
	}
	n.Start()
	n.Go("reborn", func() { ran = append(ran, "reborn") })
	drain(s)
	if !slices.Equal(ran, []string{"reborn"}) || len(pool.idle) != 3 {
		t.Fatalf("after the restart: ran %v with %d idle stacks", ran, len(pool.idle))
	}
}

func TestATimerOfADeadGenerationDoesNotStrikeTheNextOne(t *testing.T) {
	s := New(Keyed(1), &Pool{})
	n := s.Node("lockd-1")
	n.Start()
	struck := ""
	s.After(10, n, func() { struck += "old " })
	var any Timer
	s.Arm(&any, 10, n, true, Func(func() { struck += "message " }))
	n.Kill()
	n.Start()
	s.After(10, n, func() { struck += "new" })
	drain(s)
	if struck != "message new" {
		t.Fatalf("struck %q", struck)
	}
}

func TestAWakeUpMeantForAnEarlierParkingIsIgnored(t *testing.T) {
	s := New(Keyed(1), &Pool{})
	n := s.Node("rail")
	n.Start()
	var stale uint64
	var task *Task
	woken := 0
	task = n.Go("waiter", func() {
		stale = task.Turn()
		task.Sleep(10)
		woken++
		task.Park()
		woken++
	})
	s.After(50, nil, func() {
		if task.Wake(stale) {
			t.Error("a stale wake-up was taken")
		}
	})
	drain(s)
	if woken != 1 {
		t.Fatalf("woken %d times, want 1", woken)
	}
	s.Shutdown([]*Node{n})
}

func TestDrawsDependOnNothingButTheirKey(t *testing.T) {
	a, b := Keyed(7), Keyed(7)
	for i := uint64(0); i < 100; i++ {
		b.Pick(Preempt, 1, i, 10) // other draws in between move nothing
	}
	for nth := uint64(0); nth < 1000; nth++ {
		if x, y := a.Pick(Latency, 3, nth, 64), b.Pick(Latency, 3, nth, 64); x != y || x >= 64 {
			t.Fatalf("draw %d: %d and %d", nth, x, y)
		}
	}
	// A few values held down, so that another processor or word size cannot silently differ.
	got := fmt.Sprint(Keyed(1).Pick(Latency, Place("proxy-1"), 5, 1<<40), Keyed(99).Pick(System, Place("rail"), 0, 1000), Mix(1, 2))
	if want := "497407110950 800 4597534106339308101"; got != want {
		t.Fatalf("draws are %s, want %s", got, want)
	}
}

func TestDrawsAreUniformEnough(t *testing.T) {
	var buckets [16]int
	for nth := uint64(0); nth < 160000; nth++ {
		buckets[Keyed(5).Pick(Preempt, Place("executor-1"), nth, 16)]++
	}
	for i, n := range buckets {
		if n < 9500 || n > 10500 {
			t.Errorf("bucket %d has %d of 160000 draws, want about 10000", i, n)
		}
	}
}

// BenchmarkEvents measures the bare scheduler: tasks that sleep and wake each other, draws and
// the trace hash, no network.
func BenchmarkEvents(b *testing.B) {
	pool := &Pool{}
	s := New(Keyed(1), pool)
	nodes := make([]*Node, 8)
	for i := range nodes {
		nodes[i] = s.Node(fmt.Sprint("node-", i))
		nodes[i].Start()
		for range 4 {
			n := nodes[i]
			n.Go("worker", func() {
				for {
					s.Current().Sleep(s.Now() + int64(1+n.Draw(Latency, 1000)))
					s.Current().Alive()
				}
			})
		}
	}
	b.ResetTimer()
	for s.Steps() < int64(b.N) {
		s.Step(1 << 62)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
	b.StopTimer()
	s.Shutdown(nodes)
	pool.Close()
}

// waking picks an order for whoever wakes and nothing else.
type waking uint64

func (w waking) Pick(p Purpose, _, _, n uint64) uint64 {
	if p == Waking {
		return min(uint64(w), n-1)
	}
	return 0
}

// late is a deadline.
type late struct{ fire func() }

func (l *late) Fire()     { l.fire() }
func (*late) IsDeadline() {}

func TestWhatWaitedIsTakenUpInOneOfThreeOrders(t *testing.T) {
	for order, want := range []string{
		together:      "first deadline second woken",
		oneByOne:      "first woken deadline second",
		deadlinesLast: "first woken second deadline",
	} {
		s := New(waking(order), &Pool{})
		n := s.Node("executor-1")
		n.Start()
		var did []string
		note := func(what string) func() { return func() { did = append(did, what) } }
		turn := uint64(0)
		parked := n.Go("worker", func() {
			turn = s.Current().Turn()
			s.Current().Park()
			s.Current().Alive()
			note("woken")()
		})
		s.Step(0)
		s.After(10, n, func() { note("first")(); parked.Wake(turn) })
		s.Arm(&Timer{}, 20, n, false, &late{note("deadline")})
		s.After(30, n, note("second"))
		s.After(100, nil, n.Pause())
		drain(s)
		if got := strings.Join(did, " "); got != want {
			t.Errorf("order %d: %s, want %s", order, got, want)
		}
	}
}
