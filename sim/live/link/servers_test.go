package link_test

import (
	"errors"
	"fmt"
	"net"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"dlsim/sim"
	"dlsim/sim/live/link"
)

func refused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }

func TestAStoppedServerRefusesAndAStartedOneServes(t *testing.T) {
	m, n := newMesh(t, link.Options{}), newLine(t)
	m.Stop("lockd-1") // also before there is a link
	addr := pair(t, m, "executor-1", "lockd-1", n.addr)
	elsewhere := pair(t, m, "executor-1", "lockd-2", n.addr)
	if _, err := net.Dial("tcp", addr); !refused(err) {
		t.Fatalf("%v, want a refusal", err)
	}
	n.call(t, elsewhere)
	for range 3 {
		if err := m.Start("lockd-1"); err != nil {
			t.Fatal(err)
		}
		if err := m.Start("lockd-1"); err != nil { // twice does nothing
			t.Fatal(err)
		}
		c, s := n.call(t, addr)
		say(t, c, "hello")
		hear(t, s, "hello")
		m.Stop("lockd-1")
		ends(t, c)
		ends(t, s)
		if _, err := net.Dial("tcp", addr); !refused(err) {
			t.Fatalf("%v, want a refusal", err)
		}
		m.Stop("lockd-1")
	}
}

func TestAServerThatMovedIsFoundAtTheSameAddress(t *testing.T) {
	m := newMesh(t, link.Options{})
	old, next := newLine(t), newLine(t)
	one := pair(t, m, "executor-1", "paydb", old.addr)
	two := pair(t, m, "proxy-1", "paydb", old.addr)
	c, _ := old.call(t, one)
	stays, staysServer := old.call(t, two)
	if err := m.SetUpstream(sim.Link{From: "executor-1", To: "paydb"}, next.addr); err != nil {
		t.Fatal(err)
	}
	ends(t, c)
	next.call(t, one)
	say(t, stays, "still here")
	hear(t, staysServer, "still here")

	m.Stop("paydb")
	if err := m.SetUpstream(sim.Link{From: "*", To: "paydb"}, next.addr); err != nil {
		t.Fatal(err)
	}
	if _, err := net.Dial("tcp", two); !refused(err) { // moved, not started
		t.Fatalf("%v, want a refusal", err)
	}
	if err := m.Start("paydb"); err != nil {
		t.Fatal(err)
	}
	next.call(t, one)
	next.call(t, two)
}

func TestAClientHasOneAddressAndAServerOnePort(t *testing.T) {
	m, n := newMesh(t, link.Options{}), newLine(t)
	for _, client := range []string{"etcd-1", "etcd-2"} {
		for _, server := range []string{"etcd-1", "etcd-2", "etcd-3"} {
			host, err := m.Host(client)
			if err != nil {
				t.Fatal(err)
			}
			port, err := m.Port(server)
			if err != nil {
				t.Fatal(err)
			}
			if port < 20000 || port >= 32768 {
				t.Errorf("port %d", port)
			}
			if got, want := pair(t, m, client, server, n.addr), fmt.Sprintf("%s:%d", host, port); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
	}
}

func TestMeshesDoNotTakeEachOthersAddresses(t *testing.T) {
	n := newLine(t)
	seen := map[string]bool{}
	for range 5 {
		m := newMesh(t, link.Options{})
		for _, client := range []string{"a", "b"} {
			addr := pair(t, m, client, "s", n.addr)
			if seen[addr] {
				t.Errorf("%s was given twice", addr)
			}
			seen[addr] = true
			m.Stop("s") // a stopped link keeps its address
			if err := m.Start("s"); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestALinkIsMadeOnce(t *testing.T) {
	m, n := newMesh(t, link.Options{}), newLine(t)
	pair(t, m, "a", "b", n.addr)
	if _, err := m.Pair("a", "b", n.addr); err == nil {
		t.Error("no error")
	}
}

// settled waits until no more goroutines run than before.
func settled(t *testing.T, before int) {
	t.Helper()
	for end := time.Now().Add(patience); runtime.NumGoroutine() > before; {
		if time.Now().After(end) {
			buf := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, %d before\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
		}
		time.Sleep(time.Millisecond)
	}
}

func TestACloseLeavesNothing(t *testing.T) {
	n := newLine(t)
	before := runtime.NumGoroutine()
	m := link.NewMesh(link.Options{})
	var addrs []string
	for _, mode := range []sim.LinkMode{sim.Hold, sim.Drop, sim.Slow, sim.Reset} {
		addr := pair(t, m, "client", string(mode), n.addr)
		addrs = append(addrs, addr)
		e := apply(t, m, sim.Link{From: "client", To: string(mode)}, sim.LinkCondition{Mode: mode, Extra: time.Hour})
		for i := range 3 {
			c, _ := n.call(t, addr)
			say(t, c, strings.Repeat("x", 1000))
			felt(t, e, i+1)
		}
	}
	m.Close()
	settled(t, before)
	for _, addr := range addrs {
		l, err := net.Listen("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
	}
	if _, err := m.Pair("client", "late", n.addr); err == nil {
		t.Error("a link was made after the close")
	}
}
