package live

import (
	"net"
	"testing"
	"time"

	"dlsim/history"
	"dlsim/sim"
	"dlsim/system/config"
)

// While the demoted primary serves who still reaches it, and a standby has taken over, both take
// writes, and the history tells them apart. At the heal the old one is gone.
func TestADemotedPrimaryGoesOnServingWhoeverStillReachesIt(t *testing.T) {
	needPostgres(t)
	o := calm(config.BackendPostgres)
	o.System.Topology.PaydbStandby, o.Lag = true, 500*time.Millisecond
	o.System.Topology.Executors = 4
	o.Bound = 10 * time.Second // payouts that were lost never become final
	o.Workload.Payouts, o.Workload.Accounts, o.Workload.Spread = 24, 8, 3*time.Second
	w, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	struck := false
	w.Observe(func(e *history.Event) {
		if struck || e.Op != history.RailForward || e.Kind != history.OK {
			return
		}
		struck = true
		split, err := w.Store(sim.Paydb, sim.StoreAct{Kind: sim.Failover, Loses: o.Lag})
		if err != nil {
			t.Error(err)
			return
		}
		if _, err := w.Store(sim.Paydb, sim.StoreAct{Kind: sim.Crash}); err == nil {
			t.Error("a store that is being promoted was struck")
		}
		w.After(4*time.Second, func() {
			if split.Felt() == 0 {
				t.Error("nobody felt it")
			}
			split.Heal()
			if w.paydb.demoted != nil {
				t.Error("the old primary still serves")
			}
			w.Record(history.Event{Process: "nemesis", Kind: history.Info, Op: history.AllHealed})
		})
	})
	out := w.Run()
	if err := w.Err(); err != nil {
		t.Fatal(err)
	}
	var promoted, old, present, lost int
	for _, e := range out.Events {
		switch {
		case e.Process == sim.Paydb && e.Op == history.StoreLost:
			promoted++
		case e.Note == history.Lost:
			lost++
		case e.Process == sim.Paydb+"-demoted" && e.Truth:
			old++
		case promoted > 0 && e.Process == sim.Paydb && e.Truth:
			present++
		}
	}
	if promoted != 1 || old == 0 || present == 0 || lost == 0 {
		t.Errorf("%d promotions, %d rows lost, %d rows written at the old primary and %d at the new one", promoted, lost, old, present)
	}
}

func TestASwitchboardKeepsConnectionsWhereTheyAreAndSendsNewOnesElsewhere(t *testing.T) {
	echo := func(name string) string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go func() {
					defer c.Close()
					one := make([]byte, 1)
					for {
						if _, err := c.Read(one); err != nil {
							return
						}
						if _, err := c.Write([]byte(name)); err != nil {
							return
						}
					}
				}()
			}
		}()
		return l.Addr().String()
	}
	s, err := newSwitchboard(echo("a"))
	if err != nil {
		t.Fatal(err)
	}
	dial := func() net.Conn {
		c, err := net.Dial("tcp", s.address())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	ask := func(c net.Conn) string {
		answer := make([]byte, 1)
		if err := c.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Write([]byte("?")); err != nil {
			return ""
		}
		if _, err := c.Read(answer); err != nil {
			return ""
		}
		return string(answer)
	}
	first := dial()
	if got := ask(first); got != "a" {
		t.Errorf("the first is served by %q", got)
	}
	s.connect("")
	if got := ask(dial()); got != "" {
		t.Errorf("while nobody is to be connected %q answers", got)
	}
	s.connect(echo("b"))
	if got := ask(dial()); got != "b" {
		t.Errorf("a later one is served by %q", got)
	}
	if got := ask(first); got != "a" {
		t.Errorf("the first is served by %q now", got)
	}
	s.close()
	if got := ask(first); got != "" {
		t.Errorf("%q answers through a closed board", got)
	}
}
