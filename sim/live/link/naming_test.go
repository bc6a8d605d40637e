package link_test

import (
	"testing"

	"dlsim/sim"
	"dlsim/sim/live/link"
)

func TestWhichLinksAConditionNames(t *testing.T) {
	all := []sim.Link{{From: "lockd-1", To: "etcd-1"}, {From: "lockd-1", To: "etcd-2"}, {From: "lockd-2", To: "etcd-1"}, {From: "executor-1", To: "lockd-1"}}
	for _, tc := range []struct {
		l    sim.Link
		want []bool
	}{
		{sim.Link{From: "lockd-1", To: "etcd-1"}, []bool{true, false, false, false}},
		{sim.Link{From: "*", To: "etcd-1"}, []bool{true, false, true, false}},
		{sim.Link{From: "lockd-1", To: "*"}, []bool{true, true, false, false}},
		{sim.Link{From: "*", To: "*"}, []bool{true, true, true, true}},
		{sim.Link{From: "*", To: "etcd"}, []bool{true, true, true, false}},
		{sim.Link{From: "lockd-2", To: "etcd"}, []bool{false, false, true, false}},
		{sim.Link{From: "etcd-1", To: "lockd-1"}, []bool{false, false, false, false}},
	} {
		t.Run(tc.l.From+" to "+tc.l.To, func(t *testing.T) {
			m, n := newMesh(t, link.Options{}), newLine(t)
			m.Alias("etcd", "etcd-1", "etcd-2")
			var addrs []string
			for _, l := range all[:2] {
				addrs = append(addrs, pair(t, m, l.From, l.To, n.addr))
			}
			e := apply(t, m, tc.l, sim.LinkCondition{Mode: sim.Reset})
			for _, l := range all[2:] { // a condition stands on links that are made later, too
				addrs = append(addrs, pair(t, m, l.From, l.To, n.addr))
			}
			met := 0
			for i, addr := range addrs {
				c, s := n.call(t, addr)
				say(t, c, "hello")
				if tc.want[i] {
					met++
					ends(t, c)
				} else {
					hear(t, s, "hello")
				}
			}
			if e.Felt() != met {
				t.Errorf("felt %d, want %d", e.Felt(), met)
			}
		})
	}
}

func TestAConditionThatDoesNotExistIsRefused(t *testing.T) {
	m := newMesh(t, link.Options{})
	if _, err := m.Apply(oneLink, sim.LinkCondition{Mode: "wobble"}); err == nil {
		t.Error("no error")
	}
}
