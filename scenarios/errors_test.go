package scenarios

import (
	"strings"
	"testing"
)

const head = "name: x\ndescription: y\n"

func TestAMistakeIsToldInOneLineWithItsPlace(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"an unknown key", head + "buond: 1m\n", `x.yaml:3: unknown key "buond" (did you mean "bound"?)`},
		{"an unknown key within", head + "rail:\n  proxy:\n    fencing: {enbled: false}\n", `x.yaml:5: unknown key "rail.proxy.fencing.enbled" (did you mean "enabled"?)`},
		{"an unknown key far from all", head + "zzzzzzzzzzzz: 1\n", `x.yaml:3: unknown key "zzzzzzzzzzzz"`},
		{"an unknown key of a fault", head + "faults:\n  - kind: pause\n    tarket: proxy-1\n", `x.yaml:5: unknown key "faults.0.tarket" (did you mean "target"?)`},
		{"an empty file", "", "x.yaml: the file is empty"},
		{"a file of comments", "# nothing\n", "x.yaml: the file is empty"},
		{"two documents", head + "---\nname: z\n", "x.yaml:4: a scenario is one document"},
		{"a key given twice", head + "bound: 1m\nbound: 2m\n", `x.yaml:4: `},
		{"a text for a number", head + "topology: {executors: two}\n", `x.yaml:3: topology.executors: want a whole number, not "two"`},
		{"a fraction for a number", head + "topology: {executors: 1.5}\n", `x.yaml:3: topology.executors: want a whole number, not "1.5"`},
		{"a number for a duration", head + "bound: 60\n", `x.yaml:3: bound: want a duration such as 2s or 150ms, not "60"`},
		{"a number for a text", head + "lock: {backend: 3}\n", `x.yaml:3: lock.backend: want a text, not "3"`},
		{"a text for a switch", head + "rail: {proxy: {fencing: {enabled: nope}}}\n", `x.yaml:3: rail.proxy.fencing.enabled: want true or false, not "nope"`},
		{"a mapping for a number", head + "bound: {a: 1}\n", "x.yaml:3: bound: want a duration such as 2s or 150ms, not a mapping"},
		{"a list for a mapping", head + "lock: [etcd]\n", "x.yaml:3: lock: want a mapping, not a list"},
		{"a scalar for a list", head + "faults: none\n", `x.yaml:3: faults: want a list, not "none"`},
		{"a key without a value", head + "bound:\n", "x.yaml:3: bound: has no value"},
		{"an anchor", head + "bound: &b 1m\n", "x.yaml:3: bound: anchors, aliases and tags are not used in scenarios"},
		{"broken YAML", head + "bound: [1m\n", "x.yaml:3: "},
		{"no executor", head + "topology: {executors: 0}\n", "x.yaml:3: topology.executors: 0 is less than 1"},
		{"no etcd node", head + "topology: {etcd_nodes: 0}\n", "x.yaml:3: topology.etcd_nodes: 0, but lock.backend is etcd"},
		{"an unknown backend", head + "lock: {backend: redis}\n", `x.yaml:3: lock.backend: "redis" is neither etcd nor postgres`},
		{"a negative duration", head + "lock:\n  ttl: -1s\n", "x.yaml:4: lock.ttl: -1s must be positive"},
		{"a negative bound", head + "bound: -1m\n", "x.yaml:3: bound: -1m is too short"},
		{"no payout", head + "workload: {payouts: 0}\n", "x.yaml:3: workload.payouts: there is no payout"},
		{"amounts upside down", head + "workload: {amount_min: 9, amount_max: 3}\n", "x.yaml:3: workload.amount_max: is below amount_min"},
		{"healing after the end", head + "heal_by: 2m\n", "x.yaml:3: heal_by: 2m is after the run's bound 1m"},
		{"a fault of etcd over postgres", head + "lock: {backend: postgres}\nfaults:\n  - {kind: etcd-leader-loss, for: 1s}\n",
			"x.yaml:5: faults.0: etcd-leader-loss: nothing in this topology can have it"},
		{"a random fault of etcd over postgres", head + "lock: {backend: postgres}\nrandom: {pause: 1, etcd-restore: 1}\n",
			"x.yaml:4: random.etcd-restore: nothing in this topology can have it"},
		{"a fault of etcd over what may be postgres", head + "draw: {lock.backend: [etcd, postgres]}\nfaults:\n  - {kind: etcd-leader-loss, for: 1s}\n",
			"x.yaml:5: faults.0: etcd-leader-loss: nothing in this topology can have it"},
		{"a failover without a standby", head + "faults:\n- {kind: failover, target: paydb, for: 1s, loses: 1s}\n",
			"x.yaml:4: faults.0: failover: nothing in this topology can have it"},
		{"a fault on who is not there", head + "faults:\n  - {kind: pause, target: executor-2, for: 1s}\n  - {kind: pause, target: executor-5, for: 1s}\n",
			`x.yaml:5: faults.1: pause: there is no process or store "executor-5" (did you mean "executor-1"?)`},
		{"a fault after all have healed", head + "faults:\n  - {kind: pause, target: executor-1, at: 50s, for: 1s}\n",
			"x.yaml:4: faults.0: pause: strikes at 50s, after heal_by 20s"},
		{"an unknown kind of random fault", head + "random: {puase: 1}\n", `x.yaml:3: random.puase: unknown kind of fault "puase" (did you mean "pause"?)`},
		{"a negative rate", head + "random: {pause: -1}\n", `x.yaml:3: random.pause: `},
		{"a draw of what there is not", head + "draw: {lock.bakend: [etcd]}\n", `x.yaml:3: draw: unknown key "lock.bakend" (did you mean "backend"?)`},
		{"a draw of the wrong type", head + "draw: {topology.proxies: [1, two]}\n", `x.yaml:3: draw: topology.proxies: want a whole number, not "two"`},
		{"a draw from nothing", head + "draw: {topology.proxies: []}\n", "x.yaml:3: draw: topology.proxies: 0 values to draw from"},
		{"a draw of what no system can be", head + "draw:\n  lock.backend: [etcd, redis]\n", `x.yaml:4: draw.lock.backend: "redis" is neither`},
		{"what is expected and forbidden", head + "expect: {violated: [INV-02], holds: [INV-02]}\n", "x.yaml:3: expect: INV-02 cannot be found and not be found"},
		{"what is expected and never to be seen", head + "expect: {violated: [superseded-claim], never: [superseded-claim]}\n", "expect: superseded-claim cannot be found"},
		{"too many executors", head + "topology: {executors: 1000000}\n", "x.yaml:3: topology.executors: 1000000 is more than 100"},
		{"too many accounts", head + "workload: {accounts: 1000000000}\n", "x.yaml:3: workload.accounts: 1000000000 is more than 10000"},
		{"too many payouts", head + "workload: {payouts: 1000000000}\n", "x.yaml:3: workload.payouts: 1000000000 is more than 10000"},
		{"too much money", head + "workload: {opening: 9223372036854775807}\n", "x.yaml:3: workload.opening: 9223372036854775807 is more than 1000000000000"},
		{"a payout of too much money", head + "workload: {list: [{id: a, account: b, amount: 9223372036854775807}]}\n", "workload.list.0: 9223372036854775807 is more"},
		{"too many processes in a draw", head + "draw: {topology.executors: [2, 1000000]}\n", "1000000 is more than 100"},
		{"a run of years", head + "bound: 2000000h\n", "x.yaml:3: bound: 2000000h is longer than 24h"},
		{"a fault of years", head + "faults:\n  - {kind: pause, target: executor-1, for: 2000000h}\n", "x.yaml:4: faults.0.for: 2000000h is longer than 24h"},
		{"a tab", "name: x\n\tdescription: y\n", "x.yaml:2: a tab: indent with spaces"},
		{"an expectation of what there is not", head + "expect: {violated: [INV-09]}\n", `x.yaml:3: expect: there is no invariant or observation "INV-09"`},
		{"an exercise that there is not", head + "must_exercise: [stale-tokn-presented]\n", `x.yaml:3: must_exercise: nothing is called "stale-tokn-presented" among what a run can exercise (did you mean "stale-token-presented"?)`},
		{"an unknown assumption", head + "breaks: [d]\n", `x.yaml:3: breaks: "d" is no assumption, want a, b or c`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse("x.yaml", []byte(c.text))
			if err == nil {
				t.Fatal("it was taken")
			}
			if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "x.yaml") {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestLintFindsWhatWouldProveNothing(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a horizon too short for a pause", "faults: [{kind: pause, target: any-proxy, for: 10s}]\n",
			"reconciler.horizon: 20s does not exceed 22.55s, the longest way from an intent to its money (assumption b)"},
		{"pauses of one proxy together", "faults: [{kind: pause, target: any-proxy, for: 5s}, {kind: pause, target: proxy-2, for: 5s}]\n", "22.55s"},
		{"pauses of two proxies apart", "faults: [{kind: pause, target: proxy-1, for: 6s}, {kind: pause, target: proxy-2, for: 6s}]\n", ""},
		{"pauses of executors", "faults: [{kind: pause, target: holder, at: 1s, for: 15s}]\n", ""},
		{"a horizon of nothing", "reconciler: {horizon: 0s}\n", "assumption b"},
		{"a horizon of nothing that says so", "reconciler: {horizon: 0s}\nbreaks: [b]\n", ""},
		{"a horizon that is said to be too short and is not", "breaks: [b]\n", "breaks: the horizon 20s exceeds 12.55s: assumption b is not broken"},
		{"a slow link to the rail", "faults: [{kind: slow, from: proxy-1, to: rail, for: 1s, extra: 10s}]\n", "assumption b"},
		{"a slow link elsewhere", "faults: [{kind: slow, from: executor, to: proxy, for: 1s, extra: 10s}]\n", ""},
		{"a clock of the rail", "faults: [{kind: clock-step, target: rail, step: 1h}]\n", "assumption b"},
		{"a longer life of messages, drawn", "draw: {network.message_lifetime: [1s, 30s]}\n", "37.55s"},
		{"a paydb that forgets", "topology: {paydb_standby: true}\nfaults: [{kind: failover, target: paydb, for: 1s, loses: 1s}]\n", "does not say breaks: [a]"},
		{"a lockdb that forgets", "lock: {backend: postgres}\ntopology: {lockdb_standby: true}\nfaults: [{kind: failover, target: lockdb, for: 1s, loses: 1s}]\n", ""},
		{"a second door to the rail", "operator: {door: direct}\nrandom: {operator-pay: 1}\n", "does not say breaks: [c]"},
		{"a rail later than it can be", "faults: [{kind: rail-late, for: 1s, extra: 3s}]\n", "faults.0: rail-late: the rail pays at most rail.max_delay 2s late, not 3s"},
		{"a run that ends too early", "bound: 40s\n", "bound: 40s ends the run before heal_by, the horizon and progress have passed (55s)"},
		{"a violation without a word", "expect: {violated: [INV-02]}\n", "tells: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Parse("x.yaml", []byte(head+c.text))
			if err != nil {
				t.Fatal(err)
			}
			var lines []string
			for _, p := range Lint(s) {
				lines = append(lines, p.String())
			}
			got := strings.Join(lines, "; ")
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestAScenarioThatIsNotThereIsNamed(t *testing.T) {
	for name, want := range map[string]string{
		"gc-puase":    `no scenario is called "gc-puase" (did you mean "gc-pause"?)`,
		"./none.yaml": "there is no scenario file ./none.yaml",
		"none.yaml":   "there is no scenario file none.yaml",
	} {
		if _, err := Load(name); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}
