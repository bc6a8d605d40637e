package live

import (
	"context"
	"fmt"
	"net"
	"time"

	"dlsim/sim"
	"dlsim/sim/live/pgcluster"

	"github.com/jackc/pgx/v5"
)

// streaming are the settings of a primary and of its standby.
var streaming = map[string]string{
	"wal_keep_size":                "64MB",
	"wal_retrieve_retry_interval":  "50ms",
	"wal_receiver_status_interval": "1s",
	"wal_sender_timeout":           "0",
}

// standbyName is the standby's name in links and in the topology.
func (d *database) standbyName() string { return d.name + standbySuffix }

const standbySuffix = "-standby"

// follow starts the standby, behind a link on which the primary's log travels late: what a failover
// loses is what has not arrived, so the lag decides it and not luck.
func (d *database) follow(ctx context.Context) (err error) {
	if d.board, err = newSwitchboard(upstreamOf(d.cluster)); err != nil {
		return fmt.Errorf("%s: %w", d.name, err)
	}
	addr, err := d.w.mesh.PairBulk(d.standbyName(), d.name, upstreamOf(d.cluster))
	if err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return err
	}
	in := d.cluster.Install()
	d.second, err = pgcluster.Start(ctx, in, pgcluster.Options{
		Settings:  streaming,
		Parent:    parentFolder(),
		StandbyOf: fmt.Sprintf("host=%s port=%s user=postgres application_name=dlsim sslmode=disable gssencmode=disable connect_timeout=1", host, port),
	})
	if err != nil {
		return fmt.Errorf("%s: %w", d.standbyName(), err)
	}
	if err := d.caughtUp(ctx); err != nil {
		return err
	}
	_, err = d.w.mesh.Apply(sim.Link{From: d.standbyName(), To: d.name}, sim.LinkCondition{Mode: sim.Slow, Replies: true, Extra: d.w.options.Lag})
	return err
}

// caughtUp waits until the standby has all that the primary has.
func (d *database) caughtUp(ctx context.Context) error {
	c, err := pgx.Connect(ctx, d.second.SocketDSN())
	if err != nil {
		return fmt.Errorf("%s: %w", d.standbyName(), err)
	}
	defer c.Close(ctx)
	var want string
	if err := d.control.QueryRow(ctx, `SELECT pg_current_wal_flush_lsn()::text`).Scan(&want); err != nil {
		return fmt.Errorf("%s: %w", d.name, err)
	}
	for {
		var there bool
		if err := c.QueryRow(ctx, `SELECT COALESCE(pg_last_wal_replay_lsn() >= $1::pg_lsn, false)`, want).Scan(&there); err != nil {
			return fmt.Errorf("%s: %w", d.standbyName(), err)
		}
		if there {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: it has not caught up: %w", d.standbyName(), ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// actOnStandby lets the standby's replay stand still, so that what it answers grows old.
func (d *database) actOnStandby(a sim.StoreAct) (sim.Effect, error) {
	if a.Kind != sim.Stall {
		return nil, fmt.Errorf("%s cannot %q", d.standbyName(), a.Kind)
	}
	standby := d.second
	run := func(sql string, into ...any) error {
		ctx, cancel := context.WithTimeout(context.Background(), controlBound)
		defer cancel()
		c, err := pgx.Connect(ctx, standby.SocketDSN())
		if err != nil {
			return fmt.Errorf("%s: %w", d.standbyName(), err)
		}
		defer c.Close(ctx)
		return c.QueryRow(ctx, sql).Scan(into...)
	}
	var done string
	if err := run(`SELECT pg_wal_replay_pause()::text`, &done); err != nil {
		return nil, err
	}
	told := d.told
	return &effect{count: func() int { return d.told - told }, heal: func() {
		if d.second != standby {
			return // it was promoted, and replays no more
		}
		if err := run(`SELECT pg_wal_replay_resume()::text`, &done); err != nil {
			d.w.fail(err)
		}
	}}, nil
}
