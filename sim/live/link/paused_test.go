//go:build linux

package link_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"dlsim/sim"
	"dlsim/sim/live/link"
)

// childVariable makes the test binary a server, so that it can be stopped by a signal.
const childVariable = "DLSIM_LINK_TEST_SERVER"

func init() {
	if os.Getenv(childVariable) == "" {
		return
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(l.Addr())
	go func() { // the parent's end is the child's
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	panic(http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		fmt.Println("executed")
	})))
}

// child is a web server in a process of its own.
type child struct {
	cmd   *exec.Cmd
	addr  string
	lines *bufio.Reader
}

func newChild(t *testing.T) *child {
	t.Helper()
	c := &child{cmd: exec.Command("/proc/self/exe")}
	c.cmd.Env = append(os.Environ(), childVariable+"=1")
	if _, err := c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.cmd.Process.Kill()
		_ = c.cmd.Wait()
	})
	c.lines = bufio.NewReader(out)
	c.addr = c.line(t)
	return c
}

func (c *child) line(t *testing.T) string {
	t.Helper()
	got := make(chan string, 1)
	go func() {
		s, _ := c.lines.ReadString('\n')
		got <- strings.TrimSpace(s)
	}()
	select {
	case s := <-got:
		return s
	case <-time.After(patience):
		t.Fatal("the child says nothing")
		return ""
	}
}

// signal stops or continues the child, and waits until that is so.
func (c *child) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := c.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(patience); ; time.Sleep(100 * time.Microsecond) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.cmd.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		stopped := strings.HasPrefix(string(stat[strings.LastIndex(string(stat), ")")+2:]), "T")
		if stopped == (s == syscall.SIGSTOP) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("still %s", stat)
		}
	}
}

func TestAPausedServerExecutesLaterWhatItsClientGaveUp(t *testing.T) {
	for _, reused := range []bool{false, true} {
		t.Run(map[bool]string{false: "new connection", true: "kept connection"}[reused], func(t *testing.T) {
			m, s := newMesh(t, link.Options{}), newChild(t)
			addr := pair(t, m, "executor-1", "lockd-1", s.addr)
			c := caller(t)
			if reused {
				if err := post(c, addr, patience); err != nil {
					t.Fatal(err)
				}
				if got := s.line(t); got != "executed" {
					t.Fatal(got)
				}
			}
			s.signal(t, syscall.SIGSTOP)
			if err := post(c, addr, 60*time.Millisecond); !timedOut(err) {
				t.Fatalf("%v, want a deadline", err)
			}
			c.CloseIdleConnections()
			s.signal(t, syscall.SIGCONT)
			if got := s.line(t); got != "executed" {
				t.Fatal(got)
			}
		})
	}
}

// Stock Toxiproxy hangs for ever here, and stays so after the server goes on.
func TestSwitchingWaitsForNoPausedServer(t *testing.T) {
	m, s := link.NewMesh(link.Options{}), newChild(t)
	addr := pair(t, m, "executor-1", "lockd-1", s.addr)
	s.signal(t, syscall.SIGSTOP)
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	full := make(chan struct{})
	go func() {
		defer close(full)
		_ = c.SetWriteDeadline(time.Now().Add(300 * time.Millisecond))
		_, _ = c.Write(make([]byte, 64<<20))
	}()
	<-full
	start := time.Now()
	for _, mode := range []sim.LinkMode{sim.Hold, sim.Drop, sim.Slow, sim.Reset, sim.Hold} {
		e := apply(t, m, oneLink, sim.LinkCondition{Mode: mode})
		e.Heal()
	}
	if d := time.Since(start); d > time.Second {
		t.Errorf("ten switches took %v", d)
	}
	other, err := net.Dial("tcp", addr) // the server's kernel still takes connections
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	m.Stop("lockd-1")
	if err := m.Start("lockd-1"); err != nil {
		t.Fatal(err)
	}
	s.signal(t, syscall.SIGCONT)
	if err := post(caller(t), addr, patience); err != nil {
		t.Error(err)
	}
	m.Close()
}

func TestAPausedServerWithFullSocketsHindersNoClose(t *testing.T) {
	m, s := link.NewMesh(link.Options{}), newChild(t)
	addr := pair(t, m, "executor-1", "lockd-1", s.addr)
	s.signal(t, syscall.SIGSTOP)
	before := runtime.NumGoroutine()
	e := apply(t, m, oneLink, sim.LinkCondition{Mode: sim.Reset, Replies: true})
	for range 3 {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		_ = c.SetWriteDeadline(time.Now().Add(200 * time.Millisecond))
		_, _ = c.Write(make([]byte, 32<<20))
		_ = c.(*net.TCPConn).SetLinger(0)
		c.Close()
	}
	e.Heal()
	m.Close()
	settled(t, before)
}
