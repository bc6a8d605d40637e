package link_test

import (
	"bytes"
	"io"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dlsim/sim"
	"dlsim/sim/live/link"
)

// echo answers with what it is sent, until the listener is closed; wait ends it.
func echo(t testing.TB) (addr string, wait func()) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var conns sync.WaitGroup
	conns.Add(1)
	go func() {
		defer conns.Done()
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			conns.Add(1)
			go func() {
				defer conns.Done()
				defer c.Close()
				_, _ = io.Copy(c, c)
			}()
		}
	}()
	return l.Addr().String(), func() { l.Close(); conns.Wait() }
}

// Links are switched while eight clients send messages larger than any buffer and leave without
// notice in the middle of them. Toxiproxy's own switching hangs here within some thirty cycles.
func TestSwitchingUnderLoadNeverHangs(t *testing.T) {
	cycles := 1200
	if testing.Short() {
		cycles = 200
	}
	before := runtime.NumGoroutine()
	upstream, wait := echo(t)
	m := link.NewMesh(link.Options{MessageLifetime: 20 * time.Millisecond})
	addr := pair(t, m, "executor-1", "lockd-1", upstream)

	var stop atomic.Bool
	var trips, left atomic.Int64
	var clients sync.WaitGroup
	for i := range 8 {
		message := bytes.Repeat([]byte{byte('a' + i), byte(i), 0}, 64<<10/3)
		clients.Add(1)
		go func() {
			defer clients.Done()
			for n := 0; !stop.Load(); n++ {
				c, err := net.Dial("tcp", addr)
				if err != nil {
					if !refused(err) && !broke(err) {
						t.Errorf("dial: %v", err)
						return
					}
					continue
				}
				_ = c.SetDeadline(time.Now().Add(20 * time.Millisecond))
				for range 10 {
					got := make([]byte, len(message))
					sent := make(chan struct{})
					go func() { defer close(sent); _, _ = c.Write(message) }()
					k, err := io.ReadFull(c, got)
					if !bytes.Equal(got[:k], message[:k]) {
						t.Errorf("an answer holds other bytes than were sent")
					}
					if err != nil {
						_ = c.(*net.TCPConn).SetLinger(0)
						c.Close()
						left.Add(1)
						<-sent
						break
					}
					<-sent
					trips.Add(1)
				}
				c.Close()
			}
		}()
	}

	modes := []sim.LinkCondition{
		{Mode: sim.Hold}, {Mode: sim.Drop, Replies: true}, {Mode: sim.Slow, Extra: time.Millisecond},
		{Mode: sim.Reset, Count: 1}, {Mode: sim.Hold, Requests: true}, {Mode: sim.Drop}, {Mode: sim.Drop, Replies: true, Count: 1},
	}
	var slowest time.Duration
	var met int
	for i := range cycles {
		start := time.Now()
		e, err := m.Apply(oneLink, modes[i%len(modes)])
		if err != nil {
			t.Fatal(err)
		}
		slowest = max(slowest, time.Since(start))
		for end := start.Add(2 * time.Millisecond); e.Felt() == 0 && time.Now().Before(end); {
			time.Sleep(20 * time.Microsecond)
		}
		if e.Felt() > 0 {
			met++
		}
		start = time.Now()
		e.Heal()
		slowest = max(slowest, time.Since(start))
		if i%100 == 99 {
			m.Stop("lockd-1")
			if err := m.Start("lockd-1"); err != nil {
				t.Fatal(err)
			}
		}
	}
	stop.Store(true)
	clients.Wait()
	if met < cycles/4 {
		t.Errorf("%d of %d conditions met a message", met, cycles)
	}

	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	say(t, c, "all is well")
	hear(t, c, "all is well")
	c.Close()
	m.Close()
	wait()
	settled(t, before)
	t.Logf("%d cycles, %d met, %d round trips of 64 kB, %d connections left in the middle, slowest switch %v", cycles, met, trips.Load(), left.Load(), slowest)
}

func TestAClosedListenerOfTheServerEndsItsCallers(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m := newMesh(t, link.Options{})
	addr := pair(t, m, "executor-1", "lockd-1", l.Addr().String())
	l.Close() // dead, and nobody has told the mesh
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ends(t, c)
}
