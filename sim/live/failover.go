package live

import (
	"context"
	"fmt"
	"time"

	"dlsim/sim"
	"dlsim/sim/live/pgcluster"
	"dlsim/sim/virtual/sched"

	"github.com/jackc/pgx/v5"
)

// demoted is an old primary that goes on serving whoever still reaches it.
type demoted struct {
	cluster *pgcluster.Cluster
	control *pgx.Conn
	audit   audit
}

func (o *demoted) end() {
	hangUp(o.control)
	o.cluster.Close()
}

// failover promotes the standby with what has reached it. Connections to the old primary either
// break or go on talking to it, which accepts writes that nobody else will see: split brain, until
// the heal ends it. New connections are refused until the standby has been promoted, which goes on
// beside the loop, and find it from then on.
//
// What the old primary had committed by the strike and the standby lacks is lost; what it commits
// later the history says of the demoted one.
func (d *database) failover(loses time.Duration) (sim.Effect, error) {
	switch {
	case d.second == nil && !d.standby:
		return nil, fmt.Errorf("%s has no standby to fail over to", d.name)
	case d.second == nil:
		return nil, fmt.Errorf("%s has failed over already", d.name)
	case d.control == nil:
		return nil, fmt.Errorf("%s is not running", d.name)
	case loses > d.w.options.Lag:
		return nil, &UnsupportedError{fmt.Sprintf("failover of %s that loses %v", d.name, loses), fmt.Sprintf("its standby trails by %v", d.w.options.Lag)}
	}
	// Nothing more reaches the standby, so that what it has is older than what the history has.
	_, err := d.w.mesh.Apply(sim.Link{From: d.standbyName(), To: d.name}, sim.LinkCondition{Mode: sim.Hold, Replies: true})
	if err != nil {
		return nil, err
	}
	release, err := d.hush()
	if err != nil {
		return nil, err
	}
	defer release()
	before, err := d.snapshot()
	if err != nil {
		return nil, err
	}
	d.board.connect("")
	ended, err := d.breakSome()
	if err != nil {
		return nil, err
	}
	old := &demoted{cluster: d.cluster, control: d.control, audit: d.audit}
	old.audit.as += "-demoted"
	d.demoted, d.cluster, d.second, d.control = old, d.second, nil, nil
	d.audit = audit{as: d.name, timeline: old.audit.timeline}
	lost := 0
	d.promote(func() (err error) {
		lost, err = d.tellLost(before, "failover")
		d.board.connect(upstreamOf(d.cluster))
		return err
	})
	return &effect{count: func() int { return ended + lost }, heal: func() { d.retire(old) }}, nil
}

// promote makes the standby a primary beside the loop, then calls ready on it.
func (d *database) promote(ready func() error) {
	d.aside(func(ctx context.Context) (*pgx.Conn, error) {
		c, err := d.connect(ctx)
		if err == nil {
			_, err = c.Exec(ctx, `SELECT pg_promote(true)`)
		}
		return c, err
	}, ready)
}

// breakSome ends every other connection to the old primary, as the seed will have it.
func (d *database) breakSome() (ended int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), controlBound)
	defer cancel()
	found, err := d.control.Query(ctx, `SELECT pid, application_name FROM pg_stat_activity
WHERE backend_type = 'client backend' AND application_name <> 'dlsim' ORDER BY application_name, backend_start, pid`)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", d.name, err)
	}
	var pid int32
	var client string
	nth := map[string]uint64{}
	pids := []int32{}
	if _, err := pgx.ForEachRow(found, []any{&pid, &client}, func() error {
		nth[client]++
		if sched.Keyed(d.w.options.Seed).Pick(sched.Survive, sched.Place(client), nth[client], 2) == 0 {
			pids = append(pids, pid)
		}
		return nil
	}); err != nil {
		return 0, fmt.Errorf("%s: %w", d.name, err)
	}
	return d.exec(`SELECT count(pg_terminate_backend(pid)) FROM unnest($1::int[]) pid`, pids)
}

// retire ends the old primary for good.
func (d *database) retire(old *demoted) {
	if d.demoted != old {
		return
	}
	d.finish()
	release, err := d.hush()
	if err != nil {
		d.w.fail(err)
		return
	}
	d.demoted = nil
	old.end()
	release()
}
