package virtual

import (
	"fmt"
	"time"

	"dlsim/sim"
	"dlsim/sim/virtual/postgres"
	"dlsim/sim/virtual/sched"
)

// replicaLags are how far the standby trails behind a commit, each as likely: mostly the time of a
// round trip, and one in eight as long as a busy standby takes. A later commit is never shown before
// an earlier one.
var replicaLags = [16]time.Duration{
	1 * time.Millisecond, 2 * time.Millisecond, 3 * time.Millisecond, 5 * time.Millisecond,
	8 * time.Millisecond, 10 * time.Millisecond, 15 * time.Millisecond, 20 * time.Millisecond,
	30 * time.Millisecond, 50 * time.Millisecond, 80 * time.Millisecond, 120 * time.Millisecond,
	200 * time.Millisecond, 400 * time.Millisecond, 1500 * time.Millisecond, 3 * time.Second,
}

// replica is a standby that answers reads. It starts when the first process asks for it.
type replica struct {
	of      *database
	as      *database // what clients connect to
	shipped int       // of the primary's commits, how many have been scheduled
	due     []*postgres.Commit
	latest  int64 // when the last scheduled one is shown
	stalled int
}

// replicaNamed is the readable standby of the name, nil where this topology has none.
func (w *World) replicaNamed(name string) *replica {
	for _, db := range []*database{w.paydb, w.lockdb} {
		if db == nil || db.standby == nil || db.standby.name != name {
			continue
		}
		if db.replica == nil && !db.standby.node.Up() {
			db.startReplica()
		}
		return db.replica
	}
	return nil
}

func (db *database) startReplica() {
	r := &replica{of: db, as: &database{w: db.w, name: db.standby.name, schema: db.schema}}
	db.standby.node.Start()
	r.as.primary = r.as.server(db.standby, postgres.Options{Catalog: db.w.cache.catalog, Standby: true})
	db.replica = r
	db.fill(r.as.primary.engine, db.shipped)
	r.shipped = len(db.shipped)
}

// ship schedules what the primary has committed since.
func (r *replica) ship() {
	w := r.of.w
	for _, c := range r.of.shipped[r.shipped:] {
		lag := replicaLags[r.of.standby.node.Draw(sched.FollowerLag, uint64(len(replicaLags)))]
		r.latest = max(r.latest, w.sched.Now()+int64(lag))
		r.due = append(r.due, c)
		w.sched.After(r.latest-w.sched.Now(), nil, r.show)
	}
	r.shipped = len(r.of.shipped)
}

// show applies the oldest commit that is due; while the disk stalls it waits with the rest.
func (r *replica) show() {
	if r.stalled > 0 {
		r.stalled++
		return
	}
	r.as.primary.engine.Apply(r.due[0])
	r.due = r.due[1:]
}

// act lets a replica's disk stall, so that it trails by as long.
func (r *replica) act(act sim.StoreAct) (sim.Effect, error) {
	if act.Kind != sim.Stall || r.stalled > 0 {
		return nil, fmt.Errorf("%s, which answers reads, cannot %q", r.as.name, act.Kind)
	}
	r.stalled = 1
	return &effect{
		count: func() int { return r.stalled - 1 },
		heal: func() {
			waiting := r.stalled - 1
			r.stalled = 0
			for range waiting {
				r.show()
			}
		},
	}, nil
}
