package link_test

import (
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"dlsim/sim"
	"dlsim/sim/live/link"
)

// line is a server for conversations byte by byte: what it got, and what it says, under the test's
// control.
type line struct {
	addr  string
	conns chan net.Conn
}

func newLine(t *testing.T) *line {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	n := &line{addr: l.Addr().String(), conns: make(chan net.Conn, 100)}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			n.conns <- c
		}
	}()
	return n
}

// call makes a connection through addr and returns both ends of it.
func (n *line) call(t *testing.T, addr string) (client, server net.Conn) {
	t.Helper()
	client, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	select {
	case server = <-n.conns:
	case <-time.After(patience):
		t.Fatal("the server got no connection")
	}
	t.Cleanup(func() { client.Close(); server.Close() })
	return client, server
}

func say(t *testing.T, c net.Conn, what string) {
	t.Helper()
	if _, err := c.Write([]byte(what)); err != nil {
		t.Fatal(err)
	}
}

// hear reads exactly what is expected.
func hear(t *testing.T, c net.Conn, want string) {
	t.Helper()
	if err := c.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(want))
	for n := 0; n < len(got); {
		k, err := c.Read(got[n:])
		if err != nil {
			t.Fatalf("%v after %q, want %q", err, got[:n], want)
		}
		n += k
	}
	if string(got) != want {
		t.Fatalf("%q, want %q", got, want)
	}
}

// ends reads until the connection ends, and expects nothing before.
func ends(t *testing.T, c net.Conn) {
	t.Helper()
	if err := c.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	n, err := c.Read(make([]byte, 100))
	if ne, ok := err.(net.Error); n != 0 || err == nil || ok && ne.Timeout() {
		t.Fatalf("read %d, %v: want the end", n, err)
	}
}

// silent expects that nothing can be read for a moment.
func silent(t *testing.T, c net.Conn) {
	t.Helper()
	if err := c.SetReadDeadline(time.Now().Add(30 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	n, err := c.Read(make([]byte, 100))
	if ne, ok := err.(net.Error); n != 0 || !ok || !ne.Timeout() {
		t.Fatalf("read %d, %v: want silence", n, err)
	}
}

func TestWhatIsHeldArrivesInOrderAtHeal(t *testing.T) {
	m, n := newMesh(t, link.Options{}), newLine(t)
	c, s := n.call(t, pair(t, m, "executor-1", "lockd-1", n.addr))
	e := apply(t, m, oneLink, sim.LinkCondition{Mode: sim.Hold, Requests: true})
	for _, part := range []string{"a", "b", "c"} {
		say(t, c, part)
	}
	felt(t, e, 1)
	silent(t, s)
	say(t, s, "spoken into the blue")
	hear(t, c, "spoken into the blue")
	say(t, c, "d")
	felt(t, e, 2)
	e.Heal()
	hear(t, s, "abcd")
	if e.Felt() != 2 {
		t.Errorf("felt %d, want 2", e.Felt())
	}
}

func TestAHoldThatOutlivesAnotherKeepsWhatThatLetGo(t *testing.T) {
	m, n := newMesh(t, link.Options{}), newLine(t)
	c, s := n.call(t, pair(t, m, "executor-1", "lockd-1", n.addr))
	first := apply(t, m, oneLink, sim.LinkCondition{Mode: sim.Hold})
	second := apply(t, m, sim.Link{From: "*", To: "*"}, sim.LinkCondition{Mode: sim.Hold})
	say(t, c, "late")
	felt(t, first, 1)
	if second.Felt() != 0 {
		t.Errorf("the second felt %d before the heal of the first", second.Felt())
	}
	first.Heal()
	felt(t, second, 1)
	silent(t, s)
	second.Heal()
	hear(t, s, "late")
}

func TestHealingTheSecondOfTwoHoldsReleasesNothing(t *testing.T) {
	m, n := newMesh(t, link.Options{}), newLine(t)
	c, s := n.call(t, pair(t, m, "executor-1", "lockd-1", n.addr))
	first := apply(t, m, oneLink, sim.LinkCondition{Mode: sim.Hold})
	second := apply(t, m, oneLink, sim.LinkCondition{Mode: sim.Hold})
	say(t, c, "late")
	felt(t, first, 1)
	second.Heal()
	silent(t, s)
	first.Heal()
	hear(t, s, "late")
}

func TestDelaysAddUp(t *testing.T) {
	m, n := newMesh(t, link.Options{}), newLine(t)
	c, s := n.call(t, pair(t, m, "executor-1", "lockd-1", n.addr))
	apply(t, m, oneLink, sim.LinkCondition{Mode: sim.Slow, Extra: 30 * time.Millisecond})
	one := apply(t, m, oneLink, sim.LinkCondition{Mode: sim.Slow, Extra: 20 * time.Millisecond, Requests: true})
	start := time.Now()
	say(t, c, "question")
	hear(t, s, "question")
	if d := time.Since(start); d < 50*time.Millisecond {
		t.Errorf("the request took %v", d)
	}
	start = time.Now()
	say(t, s, "answer")
	hear(t, c, "answer")
	if d := time.Since(start); d < 30*time.Millisecond {
		t.Errorf("the reply took %v", d)
	}
	if one.Felt() != 1 {
		t.Errorf("the condition on requests felt %d, want 1", one.Felt())
	}
}

func TestADelayedMessageKeepsItsDelayAfterTheHeal(t *testing.T) {
	m, n := newMesh(t, link.Options{}), newLine(t)
	c, s := n.call(t, pair(t, m, "executor-1", "lockd-1", n.addr))
	e := apply(t, m, oneLink, sim.LinkCondition{Mode: sim.Slow, Extra: 50 * time.Millisecond})
	start := time.Now()
	say(t, c, "slow")
	felt(t, e, 1)
	e.Heal()
	say(t, c, " and quick") // cannot overtake
	hear(t, s, "slow and quick")
	if d := time.Since(start); d < 50*time.Millisecond {
		t.Errorf("took %v", d)
	}
}

func TestACountLimitsTheMessagesThatMeetACondition(t *testing.T) {
	m, n := newMesh(t, link.Options{}), newLine(t)
	addr := pair(t, m, "executor-1", "lockd-1", n.addr)
	e := apply(t, m, oneLink, sim.LinkCondition{Mode: sim.Reset, Requests: true, Count: 2})
	for range 2 {
		c, s := n.call(t, addr)
		say(t, c, "lost")
		ends(t, c)
		ends(t, s)
	}
	c, s := n.call(t, addr)
	say(t, c, "kept")
	hear(t, s, "kept")
	if e.Felt() != 2 {
		t.Errorf("felt %d, want 2", e.Felt())
	}
}

func TestOneLostAnswerCostsItsConnectionAndNoOther(t *testing.T) {
	m, n := newMesh(t, link.Options{}), newLine(t)
	addr := pair(t, m, "proxy-1", "paydb", n.addr)
	e := apply(t, m, sim.Link{From: "proxy-1", To: "paydb"}, sim.LinkCondition{Mode: sim.Drop, Replies: true, Count: 1})
	c, s := n.call(t, addr)
	say(t, c, "commit")
	hear(t, s, "commit")
	say(t, s, "committed")
	felt(t, e, 1)
	silent(t, c)
	other, s2 := n.call(t, addr)
	say(t, other, "commit")
	hear(t, s2, "commit")
	say(t, s2, "committed")
	hear(t, other, "committed")
	// Answers would no longer belong to their questions.
	say(t, c, "more")
	ends(t, c)
	ends(t, s)
}

func TestAConnectionThatLostBytesIsSilentAfterTheHealAndBreaksWhenItGoesOn(t *testing.T) {
	for _, way := range []string{"the client", "the server"} {
		t.Run(way+" goes on", func(t *testing.T) {
			m, n := newMesh(t, link.Options{}), newLine(t)
			addr := pair(t, m, "executor-1", "lockd-1", n.addr)
			c, s := n.call(t, addr)
			quiet, quietServer := n.call(t, addr)
			e := apply(t, m, oneLink, sim.LinkCondition{Mode: sim.Drop})
			say(t, c, "lost")
			felt(t, e, 1)
			e.Heal()
			silent(t, c)
			if way == "the client" {
				say(t, c, "more")
			} else {
				say(t, s, "more")
			}
			ends(t, c)
			ends(t, s)
			say(t, quiet, "alive")
			hear(t, quietServer, "alive")
		})
	}
}

func TestAnEndThatIsCutOffArrivesAtHeal(t *testing.T) {
	for _, mode := range []sim.LinkMode{sim.Hold, sim.Drop} {
		t.Run(string(mode), func(t *testing.T) {
			m, n := newMesh(t, link.Options{}), newLine(t)
			c, s := n.call(t, pair(t, m, "executor-1", "lockd-1", n.addr))
			e := apply(t, m, oneLink, sim.LinkCondition{Mode: mode})
			c.Close()
			silent(t, s)
			e.Heal()
			ends(t, s)
			if e.Felt() != 0 {
				t.Errorf("felt %d: an end is no message", e.Felt())
			}
		})
	}
}

func TestAMessageOfAClientThatIsGoneArrivesAtHeal(t *testing.T) {
	m, n := newMesh(t, link.Options{}), newLine(t)
	c, s := n.call(t, pair(t, m, "executor-1", "lockd-1", n.addr))
	e := apply(t, m, oneLink, sim.LinkCondition{Mode: sim.Hold})
	say(t, c, "testament")
	c.Close()
	felt(t, e, 1)
	silent(t, s)
	e.Heal()
	hear(t, s, "testament")
	ends(t, s)
}

func TestAMessageHeldBeyondItsLifeBreaksItsConnection(t *testing.T) {
	m, n := newMesh(t, link.Options{MessageLifetime: 60 * time.Millisecond}), newLine(t)
	c, s := n.call(t, pair(t, m, "executor-1", "lockd-1", n.addr))
	e := apply(t, m, oneLink, sim.LinkCondition{Mode: sim.Hold, Requests: true})
	start := time.Now()
	say(t, c, "too late")
	ends(t, c)
	ends(t, s)
	if d := time.Since(start); d < 60*time.Millisecond {
		t.Errorf("broke after %v", d)
	}
	e.Heal()
}

func TestTheHarnessDecidesWhichConnectionsAHealFindsBroken(t *testing.T) {
	var asked []sim.Link
	m := newMesh(t, link.Options{ResetAtHeal: func(l sim.Link) bool {
		asked = append(asked, l)
		return len(asked) == 1
	}})
	n := newLine(t)
	addr := pair(t, m, "executor-1", "lockd-1", n.addr)
	c, s := n.call(t, addr)
	c2, s2 := n.call(t, addr)
	e := apply(t, m, oneLink, sim.LinkCondition{Mode: sim.Hold})
	say(t, c, "unlucky")
	felt(t, e, 1)
	say(t, c2, "lucky")
	felt(t, e, 2)
	e.Heal()
	ends(t, c)
	ends(t, s)
	hear(t, s2, "lucky")
	if len(asked) != 2 || asked[0] != oneLink {
		t.Errorf("asked %v", asked)
	}

	hush := apply(t, m, oneLink, sim.LinkCondition{Mode: sim.Hold})
	say(t, c2, "safe")
	felt(t, hush, 1)
	asked = nil // whoever is asked now decides on a reset
	hush.Release()
	hear(t, s2, "safe")
	if len(asked) != 0 {
		t.Errorf("asked %v about what the harness held for itself", asked)
	}
}

func TestLatencyIsAFunctionOfLinkWayAndMessage(t *testing.T) {
	var mu sync.Mutex
	var calls []string
	m := newMesh(t, link.Options{Latency: func(l sim.Link, reply bool, nth uint64) time.Duration {
		mu.Lock()
		defer mu.Unlock()
		calls = append(calls, fmt.Sprint(l, reply, nth))
		return 10 * time.Millisecond
	}})
	n := newLine(t)
	c, s := n.call(t, pair(t, m, "executor-1", "lockd-1", n.addr))
	start := time.Now()
	for range 2 {
		say(t, c, "q")
		hear(t, s, "q")
		say(t, s, "a")
		hear(t, c, "a")
	}
	if d := time.Since(start); d < 40*time.Millisecond {
		t.Errorf("took %v", d)
	}
	mu.Lock()
	defer mu.Unlock()
	want := "[{executor-1 lockd-1} false 1 {executor-1 lockd-1} true 1 {executor-1 lockd-1} false 2 {executor-1 lockd-1} true 2]"
	if got := fmt.Sprint(calls); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
