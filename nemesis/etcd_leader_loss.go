package nemesis

import "dlsim/sim"

// etcdLeaderLoss takes etcd's leader away: it stands still, and nothing is answered until another is
// elected, which then counts every lease anew from its full time. A leader that is back before the
// election, as in a cluster of one, leads on.
var etcdLeaderLoss = Kind{
	Name:    "etcd-leader-loss",
	Short:   "etcd's leader stands still and another is elected",
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
