// Package host is the live machine's side of the seam: the system's code as an ordinary process
// over the real clock, real sockets, pgx and etcd's client, with the harness at the other end of a
// control socket.
package host

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"

	"dlsim/history"
	"dlsim/sim"
	"dlsim/sim/live/control"
	"dlsim/sim/virtual/sched"
	"dlsim/system"
	seam "dlsim/system/host"
	"dlsim/system/intake"
	"dlsim/system/paydb"
	"dlsim/system/rail"

	"github.com/jackc/pgx/v5/pgxpool"
	clientv3 "go.etcd.io/etcd/client/v3"
	"golang.org/x/sys/unix"
)

// Host is one process's machine.
type Host struct {
	setup     *control.Setup
	conn      *control.Conn
	clock     *clock
	recorder  *recorder
	transport *http.Transport
	server    *server
	pools     map[string]*pgxpool.Pool
	etcd      *endpoints
	leases    *leases

	mu     sync.Mutex
	drawn  map[string]uint64 // draws made, by purpose
	orders control.Orders
	obeyed map[int64]int64
	begun  chan struct{}

	assignment *assignment // nil where the work is not assigned
}

var _ seam.Host = (*Host)(nil)

// Main is a process of the system: it takes its setup from the harness, waits for the run to begin,
// and runs its role until the harness is gone. It returns the exit status.
func Main() int {
	conn, err := control.Inherited()
	if err != nil {
		fmt.Fprintln(os.Stderr, "dlsim:", err)
		return 2
	}
	var first control.Down
	if err := conn.Receive(&first); err != nil || first.Setup == nil {
		fmt.Fprintln(os.Stderr, "dlsim: no setup came:", err)
		return 2
	}
	h, err := newHost(first.Setup, conn)
	if err == nil {
		err = conn.Send(&control.Up{Serving: h.server.listener.Addr().String(), Counts: h.counts()})
	}
	if err == nil {
		go h.obey()
		<-h.begun
		err = system.Run(h, h.setup.Role, h.setup.System, h.work())
	}
	if err != nil {
		_ = conn.Send(&control.Up{Failed: err.Error()})
		fmt.Fprintln(os.Stderr, "dlsim:", err)
		return 3
	}
	select {} // servers, the intake and the operator are there until the process ends
}

func newHost(s *control.Setup, conn *control.Conn) (*Host, error) {
	h := &Host{
		setup: s, conn: conn, clock: newClock(s.Clock), transport: newTransport(s.Peers),
		pools: map[string]*pgxpool.Pool{}, drawn: map[string]uint64{}, orders: s.Orders, obeyed: map[int64]int64{},
		begun: make(chan struct{}),
	}
	if s.Show != nil {
		h.assignment = newAssignment(*s.Show)
	}
	var err error
	if h.recorder, err = newRecorder(s.Folder, s.Generation, conn); err != nil {
		return nil, err
	}
	h.recorder.counts = h.counts
	if h.server, err = listen(s.Listen); err != nil {
		return nil, err
	}
	for store, dsn := range s.Databases {
		c, err := pgxpool.ParseConfig(dsn)
		if err != nil {
			return nil, fmt.Errorf("store %s: %w", store, err)
		}
		c.MaxConns = int32(s.System.Paydb.Pool)
		if h.pools[store], err = pgxpool.NewWithConfig(context.Background(), c); err != nil {
			return nil, fmt.Errorf("store %s: %w", store, err)
		}
	}
	if len(s.Etcd) > 0 {
		draw := func(n uint64) uint64 { return h.draw("host.endpoint", n) }
		if h.etcd, err = dialEtcd(s.Etcd, draw); err != nil {
			return nil, err
		}
		h.leases = newLeases(h.etcd, func(l control.Lease) {
			if err := conn.Send(&control.Up{Lease: &l, Counts: h.counts()}); err != nil {
				die(err)
			}
		})
	}
	return h, nil
}

func (h *Host) work() system.Work {
	w := system.Work{Credential: rail.Credential(h.setup.Credential)}
	for _, p := range h.setup.Payouts {
		w.Payouts = append(w.Payouts, intake.Entry{
			Payout: paydb.Payout{ID: p.ID, Account: p.Account, Amount: p.Amount}, Due: p.Due,
		})
	}
	return w
}

// obey follows the harness until it is gone, and then ends the process.
func (h *Host) obey() {
	for {
		var d control.Down
		if err := h.conn.Receive(&d); err != nil {
			if err != io.EOF {
				fmt.Fprintln(os.Stderr, "dlsim:", err)
			}
			os.Exit(0)
		}
		switch {
		case d.Begin:
			close(h.begun)
		case d.Go != nil:
			h.recorder.letGo(d.Go)
		case d.Clock != nil:
			h.clock.set(*d.Clock)
		case d.Direct != nil:
			h.mu.Lock()
			h.orders = *d.Direct
			h.mu.Unlock()
		case d.Show != nil && h.assignment != nil:
			h.assignment.set(*d.Show)
		case d.Act != nil:
			go h.act(d.Act)
		case d.Ask != 0:
			if err := h.conn.Send(&control.Up{Answer: d.Ask, Counts: h.counts()}); err != nil {
				die(err)
			}
		}
	}
}

// act has the operator act. What came of it is in the history, which the operator's own code tells.
func (h *Host) act(a *control.Act) {
	if a.Act == sim.PayByHand {
		_ = system.PayByHand(h, h.setup.System, a.Payout, rail.Credential(a.Credential))
		return
	}
	_ = system.Cancel(h, h.setup.System, a.Payout)
}

func (h *Host) counts() control.Counts {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := control.Counts{
		Reads: h.clock.reads.Load(), Busy: h.server.busy.Load(), Served: h.server.served.Load(), Records: h.recorder.made.Load(),
	}
	if len(h.obeyed) > 0 {
		c.Obeyed = make(map[int64]int64, len(h.obeyed))
		for id, n := range h.obeyed {
			c.Obeyed[id] = n
		}
	}
	return c
}

// Name implements host.Host.
func (h *Host) Name() string { return h.setup.Name }

// Transport implements host.Host.
func (h *Host) Transport() http.RoundTripper { return h.transport }

// Serve implements host.Host.
func (h *Host) Serve(handler http.Handler) error {
	h.server.serve(handler)
	return nil
}

// DB implements host.Host. A process is given the stores of its topology and no others.
func (h *Host) DB(store string) seam.DB {
	p := h.pools[store]
	if p == nil {
		panic("live: " + h.setup.Name + " asks for store " + store + ", which this topology lacks")
	}
	if h.assignment != nil && store == "paydb" {
		return assignedDB{p, h.assignment}
	}
	return p
}

// Etcd implements host.Host.
func (h *Host) Etcd() (clientv3.KV, clientv3.Lease) {
	if h.etcd == nil {
		panic("live: " + h.setup.Name + " asks for etcd, which this topology lacks")
	}
	return newKV(h.etcd), h.leases
}

// Log implements host.Host.
func (h *Host) Log(name string) (seam.Log, error) { return openLog(h.setup.Folder, name) }

// Uint64n implements host.Host: a function of the seed, the process, its start, the purpose and how
// many draws that purpose has had. Those of the first start are the virtual world's, so that a run
// that is repeated here asks the same one of several servers as long as it goes the same way.
func (h *Host) Uint64n(purpose string, n uint64) uint64 { return h.draw(purpose, n) }

func (h *Host) draw(purpose string, n uint64) uint64 {
	h.mu.Lock()
	nth := h.drawn[purpose]
	h.drawn[purpose]++
	h.mu.Unlock()
	place := sched.Mix(sched.Place(h.setup.Name), sched.Place(purpose))
	return sched.Keyed(h.setup.Seed).Pick(sched.System, place, nth+uint64(h.setup.Generation-1)<<40, n)
}

// Record implements host.Host.
func (h *Host) Record(e history.Event) int64 {
	e.Process = h.setup.Name
	return h.recorder.record(e)
}

// Directive implements host.Host.
func (h *Host) Directive(name string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, o := range h.orders {
		if o.Name == name {
			h.obeyed[o.ID]++
			return o.Value
		}
	}
	return ""
}

// monotonicNow is the machine's monotonic clock, which all processes share, in ns.
func monotonicNow() int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		panic(err) // a kernel without it cannot run Go either
	}
	return t.Nano()
}

// die ends the process at once: without its harness nothing it does counts.
func die(err error) {
	fmt.Fprintln(os.Stderr, "dlsim:", err)
	os.Exit(3)
}
