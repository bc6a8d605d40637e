package link_test

import (
	"testing"
	"time"

	"dlsim/sim"
	"dlsim/sim/live/link"
)

// A request that is late is on its way until it has arrived, or until its connection is gone.
func TestBytesThatAreOnTheirWayAreCounted(t *testing.T) {
	m := link.NewMesh(link.Options{})
	t.Cleanup(m.Close)
	server := newLine(t)
	addr, err := m.Pair("client", "server", server.addr)
	if err != nil {
		t.Fatal(err)
	}
	becomes := func(want int64) {
		t.Helper()
		for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
			got := m.Waiting("server")
			if got == want {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("%d bytes are on their way, want %d", got, want)
			}
		}
	}
	becomes(0)
	if _, err := m.Apply(sim.Link{From: "client", To: "server"}, sim.LinkCondition{Mode: sim.Slow, Requests: true, Extra: 200 * time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	client, far := server.call(t, addr)
	say(t, client, "late")
	becomes(4)
	hear(t, far, "late")
	becomes(0)

	held, err := m.Apply(sim.Link{From: "client", To: "server"}, sim.LinkCondition{Mode: sim.Hold})
	if err != nil {
		t.Fatal(err)
	}
	say(t, client, "never")
	becomes(5)
	m.Stop("server") // its connections are gone
	becomes(0)
	held.Heal()
	if got := m.Waiting("other"); got != 0 {
		t.Errorf("%d bytes are on their way to nobody", got)
	}
}
