package virtual

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"dlsim/sim"
	"dlsim/sim/virtual/sched"

	"github.com/cockroachdb/datadriven"
)

// stage is a world with a network and processes that do what a script says, and no stores.
type stage struct {
	*World
	out     strings.Builder
	effects map[string]sim.Effect
}

// fixed has every message take the typical latency, nobody preempted and every held message arrive
// late, except where a script says otherwise.
type fixed struct{ heal uint64 }

func (f *fixed) Pick(p sched.Purpose, _, _, n uint64) uint64 {
	switch p {
	case sched.Latency:
		return 32 // eight eighths
	case sched.HealOrReset:
		return f.heal
	}
	return n - 1
}

func newStage(heal uint64) *stage {
	w := &World{machines: map[string]*machine{}, cache: &Cache{}}
	w.options.Network = sim.Network{Latency: 10 * time.Millisecond, MessageLifetime: 2 * time.Second}
	w.sched = sched.New(&fixed{heal}, &w.cache.stacks)
	w.net = &network{w: w, links: map[[2]*machine]*link{}}
	return &stage{World: w, effects: map[string]sim.Effect{}}
}

func (s *stage) say(format string, args ...any) {
	fmt.Fprintf(&s.out, "%8s  %s\n", time.Duration(s.sched.Now()).Round(time.Microsecond), fmt.Sprintf(format, args...))
}

func (s *stage) start(m *machine) {
	m.node.Start()
	m.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.say("%s gets %s from %s", m.name, r.URL.Path, r.RemoteAddr)
		if d, err := time.ParseDuration(r.URL.Query().Get("work")); err == nil {
			if err := m.host.Sleep(r.Context(), d); err != nil {
				s.say("%s stops %s: %v", m.name, r.URL.Path, err)
				return
			}
		}
		fmt.Fprintf(w, "done %s", r.URL.Path)
	})
}

func (s *stage) call(m *machine, url string, timeout time.Duration) {
	m.node.Go("call "+url, func() {
		ctx, cancel := m.host.WithTimeout(context.Background(), timeout)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+url, strings.NewReader("{}"))
		if err != nil {
			panic(err)
		}
		resp, err := (&http.Client{Transport: m.host.Transport()}).Do(req)
		if err != nil {
			s.say("%s fails: %v", m.name, err)
			return
		}
		body, _ := io.ReadAll(resp.Body)
		s.say("%s has %d %s", m.name, resp.StatusCode, body)
	})
}

// TestNetworkScripts runs testdata/network: a command a line, and what it did in virtual time.
//
//	processes a b       start them
//	call a b/path?work=50ms 1s
//	cut|drop|slow|reset|pause|kill NAME …   a fault, named so that heal can end it
//	clock a step=1s drift=1000
//	run 500ms
func TestNetworkScripts(t *testing.T) {
	datadriven.Walk(t, "testdata/network", func(t *testing.T, path string) {
		var s *stage
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "stage" {
				s = newStage(3)
				if d.HasArg("reset-on-heal") {
					s = newStage(0)
				}
				return ""
			}
			s.out.Reset()
			for _, line := range strings.Split(strings.TrimSpace(d.Input), "\n") {
				s.command(t, strings.Fields(line))
			}
			return s.out.String()
		})
		nodes := make([]*sched.Node, len(s.order))
		for i, m := range s.order {
			nodes[i] = m.node
		}
		s.sched.Shutdown(nodes)
	})
}

func (s *stage) command(t *testing.T, words []string) {
	t.Helper()
	must := func(e sim.Effect, err error) {
		if err != nil {
			s.say("refused: %v", err)
			return
		}
		s.effects[words[1]] = e
	}
	duration := func(text string) time.Duration {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	link := func(mode sim.LinkMode, way string, extra time.Duration) {
		from, to, _ := strings.Cut(words[2], ">")
		must(s.Condition(sim.Link{From: from, To: to}, sim.LinkCondition{Mode: mode, Extra: extra,
			Requests: way == "requests", Replies: way == "replies"}))
	}
	way := ""
	if len(words) > 3 {
		way = words[3]
	}
	switch words[0] {
	case "processes":
		for _, name := range words[1:] {
			m := s.newMachine(name, "test")
			m.host = &host{m}
			s.start(m)
		}
	case "call":
		s.call(s.machines[words[1]], words[2], duration(words[3]))
	case "cut":
		link(sim.Hold, way, 0)
	case "drop":
		link(sim.Drop, way, 0)
	case "reset":
		link(sim.Reset, way, 0)
	case "slow":
		link(sim.Slow, "", duration(words[3]))
	case "pause":
		must(s.Pause(words[2]))
	case "kill":
		m := s.machines[words[2]]
		m.kill()
		must(&effect{heal: func() { s.start(m) }}, nil)
	case "heal":
		e := s.effects[words[1]]
		felt := e.Felt()
		e.Heal()
		s.say("healed, felt %d", felt)
	case "run":
		until := s.sched.Now() + int64(duration(words[1]))
		for s.sched.Step(until) {
		}
		s.After(time.Duration(until-s.sched.Now()), func() {})
		for s.sched.Step(until) {
		}
	default:
		t.Fatalf("no command %q", words[0])
	}
}
