package nemesis

import (
	"strings"
	"testing"
	"time"

	"dlsim/history"

	"github.com/goccy/go-yaml"
)

// examples has one fault of every kind, as it is written.
var examples = []string{
	"{id: 4, kind: pause, target: holder, on: {event: payout.submit, process: executor-1, payout: payout-3, kind: invoke, nth: 2}, after: 100ms, for: 8s}",
	"{kind: kill, target: proxy-1, at: 2s, for: 1m}",
	"{kind: restart, target: any-proxy, at: 1.5s}",
	"{kind: rolling-restart, target: proxy, at: 2s, every: 500ms}",
	"{kind: cut, from: executor-1, to: \"*\", at: 2s, for: 3s, way: replies, mode: drop}",
	"{kind: slow, from: lockd, to: etcd, at: 2s, for: 3s, way: requests, extra: 250ms}",
	"{kind: drop-reply, from: executor-1, to: proxy-2, at: 2s, for: 3s, count: 1}",
	"{kind: delay-request, from: proxy-1, to: rail, at: 2s, for: 3s, extra: 1s, count: 2}",
	"{kind: reset, from: proxy-1, to: paydb, at: 2s, for: 3s, way: requests, count: 1}",
	"{kind: clock-step, target: lockd-1, at: 2s, step: -1h30m}",
	"{kind: clock-drift, target: executor-2, for: 1h, drift_ppm: -500}",
	"{kind: disk-stall, target: paydb, at: 2s, for: 3s}",
	"{kind: database-crash, target: lockdb, on: {event: lock.granted, owner: executor-1, account: account-2, state: x}, for: 3s}",
	"{kind: failover, target: paydb, at: 2s, for: 3s, loses: 400ms}",
	"{kind: backend-kill, target: paydb, at: 2s, client: any-proxy}",
	"{kind: etcd-leader-loss, target: leader, at: 2s, for: 1s}",
	"{kind: etcd-restore, at: 2s, loses: 5s}",
	"{kind: rail-timeout, at: 2s, for: 1s, count: 1}",
	"{kind: rail-execute-then-5xx, target: rail, at: 2s, for: 1s}",
	"{kind: rail-late, at: 2s, for: 1s, way: replies, extra: 3s}",
	"{kind: rail-decline, at: 2s, for: 1s}",
	"{kind: operator-cancel, at: 2s, payout: payout-2}",
	"{kind: operator-pay, on: {event: payout.claim}}",
}

func TestEveryKindReadsAndWritesTheSameYAML(t *testing.T) {
	seen := map[string]bool{}
	for _, text := range examples {
		f, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		seen[f.Kind] = true
		if got := f.String(); got != text {
			t.Errorf("read  %s\nwrote %s", text, got)
		}
		if err := f.Validate(fakeTopology()); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		// The general encoder, which scenario files are written with, agrees.
		block, err := yaml.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := Parse(string(block)); err != nil || again != f {
			t.Errorf("%s\nencoded as\n%s\nread back as %s, %v", text, block, again, err)
		}
	}
	for _, k := range Kinds() {
		if !seen[k.Name] {
			t.Errorf("no example of %s", k.Name)
		}
	}
}

func TestNamesThatYAMLWouldTakeForSomethingElseAreQuoted(t *testing.T) {
	for _, name := range []string{"*", "true", "NO", "12", "1e3", "a: b", "a#b", "ü", "null", "-", "x{y}", "on"} {
		f := Fault{Kind: "pause", Target: name}
		back, err := Parse(f.String())
		if err != nil || back != f {
			t.Errorf("%q: wrote %s, read %q, %v", name, f, back.Target, err)
		}
	}
}

func TestDurationsAreWrittenShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		time.Minute: "1m", 90 * time.Second: "1m30s", time.Hour: "1h", 10 * time.Second: "10s",
		100 * time.Minute: "1h40m", time.Hour + time.Second: "1h0m1s", 1500 * ms: "1.5s", 20 * ms: "20ms", -time.Minute: "-1m",
	} {
		if got := FormatDuration(d); got != want {
			t.Errorf("%v is written %q, want %q", d, got, want)
		}
		if back, err := time.ParseDuration(want); err != nil || back != d {
			t.Errorf("%q reads as %v, %v", want, back, err)
		}
	}
}

func TestAFaultThatCannotBeIsRefusedInOneSentence(t *testing.T) {
	for _, c := range []struct{ fault, want string }{
		{"{kind: puase, target: proxy-1, for: 1s}", `did you mean "pause"`},
		{"{kind: pause, target: proxy-1}", `pause: needs "for"`},
		{"{kind: pause, target: proxy-1, for: 1s, loses: 1s}", `pause: takes no "loses"`},
		{"{kind: pause, target: proxy-9, for: 1s}", `there is no process or store "proxy-9" (did you mean "proxy-`},
		{"{kind: pause, target: paydb, for: 1s}", `pause: cannot strike "paydb", only rail, lockd-1`},
		{"{kind: pause, target: leader, for: 1s}", "only etcd-leader-loss may name it"},
		{"{kind: pause, target: actor, for: 1s}", `there is no "on"`},
		{"{kind: pause, target: proxy-1, for: -1s}", `"for" is negative`},
		{"{kind: pause, target: proxy-1, for: 1s, after: 1s}", `there is no "on"`},
		{"{kind: pause, target: proxy-1, for: 1s, at: 1s, on: {event: lock.granted}}", `both "at" and "on"`},
		{"{kind: pause, target: proxy-1, for: 1s, on: {nth: 2}}", `needs an "event"`},
		{"{kind: pause, target: proxy-1, for: 1s, on: {event: lock.grated}}", `did you mean "lock.granted"`},
		{"{kind: pause, target: proxy-1, for: 1s, on: {event: lock.granted, kind: okay}}", `want invoke, ok, fail or info`},
		{"{kind: pause, target: proxy-1, for: 1s, on: {event: lock.granted, process: executor-3}}", `no process or store "executor-3"`},
		{"{kind: cut, from: proxy-1, to: rial, for: 1s}", `did you mean "rail"`},
		{"{kind: cut, from: proxy-1, for: 1s}", `cut: needs "to"`},
		{"{kind: cut, from: proxy-1, to: rail, for: 1s, way: sideways}", `want both, requests or replies`},
		{"{kind: cut, from: proxy-1, to: rail, for: 1s, mode: slow}", `want hold or drop`},
		{"{kind: failover, target: lockdb, for: 1s, loses: 1s}", `cannot strike "lockdb", only paydb`},
		{"{kind: database-crash, target: any-proxy, for: 1s}", `cannot strike "any-proxy"`},
		{"{kind: backend-kill, target: paydb, client: proxy-3}", `there is no process or store "proxy-3"`},
		{"{kind: rolling-restart, target: proxy-1, every: 1s}", `cannot strike "proxy-1"`},
	} {
		f, err := Parse(c.fault)
		if err != nil {
			t.Errorf("%s: %v", c.fault, err)
			continue
		}
		err = f.Validate(fakeTopology())
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s\nrefused with %v\nwant %s", c.fault, err, c.want)
		}
	}
}

func TestAFaultWithAnUnknownFieldIsNotRead(t *testing.T) {
	for _, text := range []string{"{kind: pause, tarket: x}", "", "{kind: pause, on: {evnt: x}}", "[1]"} {
		if f, err := Parse(text); err == nil {
			t.Errorf("%q was read as %v", text, f)
		}
	}
}

func TestEveryKindDescribesItself(t *testing.T) {
	names, colours := map[string]bool{}, map[string]bool{}
	for _, k := range Kinds() {
		if k.Short == "" || k.Bites == "" || len(k.Colour) != 7 || k.Colour[0] != '#' {
			t.Errorf("%s: short %q, bites %q, colour %q", k.Name, k.Short, k.Bites, k.Colour)
		}
		if names[k.Name] || colours[k.Colour] {
			t.Errorf("%s: its name or colour is taken", k.Name)
		}
		names[k.Name], colours[k.Colour] = true, true
	}
}

func TestTriggersKnowTheWholeVocabularyButTheNemesisItself(t *testing.T) {
	for _, op := range triggerOps {
		f := Fault{Kind: "pause", Target: "proxy-1", For: second, On: Trigger{Event: op}}
		if err := f.Validate(fakeTopology()); err != nil {
			t.Errorf("%s: %v", op, err)
		}
	}
	f := Fault{Kind: "pause", Target: "proxy-1", For: second, On: Trigger{Event: history.FaultBegun}}
	if f.Validate(fakeTopology()) == nil {
		t.Error("a fault may wait for a fault")
	}
}

func TestANumberedPlanKeepsTheIDsItHas(t *testing.T) {
	p := Plan{Faults: []Fault{{ID: 3, Kind: "a"}, {Kind: "b"}, {ID: 1, Kind: "c"}, {Kind: "d"}}}
	got := p.Numbered()
	for i, want := range []int{3, 4, 1, 5} {
		if got.Faults[i].ID != want {
			t.Errorf("fault %d has id %d, want %d", i, got.Faults[i].ID, want)
		}
	}
	if p.Faults[1].ID != 0 {
		t.Error("the plan that was numbered has changed")
	}
}
