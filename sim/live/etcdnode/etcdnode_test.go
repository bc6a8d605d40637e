package etcdnode

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == Argument {
		os.Exit(Main(os.Args[2:]))
	}
	os.Exit(m.Run())
}

func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

func TestASingleNodeServesAndLeavesNothing(t *testing.T) {
	ctx := within(t, 30*time.Second)
	dir := t.TempDir()
	n, err := Single(ctx, dir, Config{NoFsync: true, Tick: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Stop)
	if info, err := os.Stat(n.config.Dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("data directory: mode %v, %v", info.Mode(), err)
	}
	if !strings.HasPrefix(n.Client(), "127.") {
		t.Errorf("serves at %s", n.Client())
	}
	c, err := Dial(n.Client())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	got, err := c.Put(ctx, "k", "v")
	if err != nil || got.Header.Revision != 3 {
		t.Errorf("put: %v, %v; the first after Ready's own makes revision 3", got, err)
	}
	n.Stop()
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if conn, err := net.Dial("tcp", n.Client()); err == nil {
		conn.Close()
		t.Error("the port is still listened on")
	}
}

func TestOnlyLoopbackIsListenedOn(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", "192.0.2.1:2379", "localhost:0"} {
		if _, err := Start(Config{Dir: t.TempDir(), ListenClient: addr}); err == nil {
			t.Errorf("listens on %s", addr)
		}
	}
}

// Each node has addresses of its own for its peers' names: here node i finds node j at 127.i.0.j,
// where a forwarder of the pair waits.
func TestThreeProcessesMeetThroughNamesThatEachResolvesForItself(t *testing.T) {
	ctx := within(t, 60*time.Second)
	const nodes = 3
	ports, err := FreeAddresses(nodes)
	if err != nil {
		t.Fatal(err)
	}
	peers := map[string]string{}
	name := func(i int) string { return "n" + strconv.Itoa(i) }
	port := func(i int) string { _, p, _ := net.SplitHostPort(ports[i-1]); return p }
	for i := 1; i <= nodes; i++ {
		peers[name(i)] = name(i) + ".dlsim.test:" + port(i)
	}
	pairs := map[[2]int]*forwarder{}
	var all []*Process
	var clients []string
	for i := 1; i <= nodes; i++ {
		hosts := map[string]string{}
		for j := 1; j <= nodes; j++ {
			ip := "127.9" + strconv.Itoa(i) + ".0." + strconv.Itoa(j)
			hosts[name(j)+".dlsim.test"] = ip
			if j != i {
				f := &forwarder{listen: net.JoinHostPort(ip, port(j)), to: ports[j-1]}
				pairs[[2]int{i, j}] = f
				t.Cleanup(f.close)
			}
		}
		p, err := Spawn(Config{
			Name: name(i), Dir: filepath.Join(t.TempDir(), name(i)), Peers: peers, Hosts: hosts,
			ListenPeer: ports[i-1], AdvertisePeer: peers[name(i)], Tick: 20 * time.Millisecond, NoFsync: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Stop)
		all = append(all, p)
	}
	for _, p := range all {
		if err := p.Started(ctx); err != nil {
			t.Fatal(err)
		}
		clients = append(clients, p.Client())
	}
	for _, f := range pairs {
		if err := f.open(); err != nil {
			t.Fatal(err)
		}
	}
	if err := Ready(ctx, clients...); err != nil {
		t.Fatal(err)
	}
	// Cut off from both others in both directions, a node cannot write; the others can.
	for pair, f := range pairs {
		if pair[0] == 1 || pair[1] == 1 {
			f.close()
		}
	}
	c, err := Dial(clients[0])
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := Ready(ctx, clients[1:]...); err != nil {
		t.Errorf("the majority does not write: %v", err)
	}
	try, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancel()
	if _, err := c.Put(try, "cut", "off"); err == nil {
		t.Error("the node that is cut off acknowledges a put")
	}
}

func TestAKilledNodeComesBackWithItsData(t *testing.T) {
	ctx := within(t, 30*time.Second)
	addrs, err := FreeAddresses(2)
	if err != nil {
		t.Fatal(err)
	}
	c := Config{Dir: filepath.Join(t.TempDir(), "data"), ListenPeer: addrs[0], ListenClient: addrs[1], NoFsync: true, Tick: 10 * time.Millisecond}
	p, err := Spawn(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	if err := Ready(ctx, addrs[1]); err != nil {
		t.Fatal(err)
	}
	client, err := Dial(addrs[1])
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := client.Put(ctx, "k", "kept"); err != nil {
		t.Fatal(err)
	}
	p.Kill()
	again, err := Spawn(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(again.Stop)
	if err := Ready(ctx, addrs[1]); err != nil {
		t.Fatal(err)
	}
	if got, err := client.Get(ctx, "k"); err != nil || len(got.Kvs) != 1 || string(got.Kvs[0].Value) != "kept" {
		t.Errorf("after the kill: %v, %v", got, err)
	}
	if err := again.Signal(syscall.SIGSTOP); err != nil {
		t.Error(err)
	}
	again.Stop()
	if _, err := os.Stat(c.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("data after Stop: %v", err)
	}
}

func TestAFailedStartSaysWhy(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	p, err := Spawn(Config{Dir: filepath.Join(t.TempDir(), "data"), ListenClient: l.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	if err := p.Started(within(t, 20*time.Second)); err == nil || !strings.Contains(err.Error(), "address already in use") {
		t.Errorf("a node whose port is taken: %v", err)
	}
}
