package nemesis

import "dlsim/sim"

// etcdLeaderLoss takes etcd's leader away: no answer until another is elected, which then counts
// every lease anew from its full time.
var etcdLeaderLoss = Kind{
	Name:    "etcd-leader-loss",
	Short:   "etcd elects a new leader",
	Colour:  "#2e86c1",
	Params:  []Param{Target, For},
	Needs:   []Param{For},
	Bites:   "It bites when a request met the leaderless cluster.",
	targets: func(t sim.Topology) []string { return storesOf(t, sim.Etcd) },
	strike: func(s *strike) error {
		// The cluster is addressed as a whole: which node leads is its own affair.
		node := s.resolved.Target
		if node == Leader {
			node = ""
		}
		return s.act(sim.Etcd, sim.StoreAct{Kind: sim.LeaderLoss, Target: node})
	},
	bit:   felt,
	draw:  func(d *drawing) Fault { return Fault{Target: Leader, For: d.duration(elections)} },
	place: aroundStore,
}
