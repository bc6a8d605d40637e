package live

import (
	"context"
	"fmt"
	"maps"
	"net"
	"slices"
	"time"

	"dlsim/history"
	"dlsim/sim"
	"dlsim/sim/live/pgcluster"
	"dlsim/sim/truth"

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
func (d *database) follow(ctx context.Context) error {
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

// failover promotes the standby with what has reached it and ends the old primary. Nothing that the
// old primary has acknowledged is missing from the history: its answers are held back first.
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
	ctx, cancel := context.WithTimeout(context.Background(), startBound)
	defer cancel()
	held, err := d.w.mesh.Apply(sim.Link{From: "*", To: d.name}, sim.LinkCondition{Mode: sim.Hold, Replies: true})
	if err != nil {
		return nil, err
	}
	d.catchUp()
	before, err := d.rows(ctx)
	if err != nil {
		return nil, err
	}
	d.disconnect()
	d.w.mesh.Stop(d.name)
	d.cluster.Kill()
	held.Release()
	old := d.cluster
	d.cluster, d.second = d.second, nil
	old.Close()
	if err := d.connect(ctx); err != nil {
		return nil, err
	}
	if _, err := d.control.Exec(ctx, `SELECT pg_promote(true)`); err != nil {
		return nil, fmt.Errorf("%s: promote: %w", d.standbyName(), err)
	}
	lost, err := d.tellLost(ctx, before)
	if err != nil {
		return nil, err
	}
	if err := d.w.mesh.SetUpstream(sim.Link{From: "*", To: d.name}, upstreamOf(d.cluster)); err != nil {
		return nil, err
	}
	if err := d.w.mesh.Start(d.name); err != nil {
		return nil, err
	}
	return &effect{count: func() int { return lost }}, nil
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

// rows is every judged row of the store as it stands, as JSON by table and key.
func (d *database) rows(ctx context.Context) (map[string]map[string]string, error) {
	all := map[string]map[string]string{}
	for table, key := range keyOf {
		if audited[d.name][table] == nil {
			continue
		}
		found, err := d.control.Query(ctx, `SELECT `+key+`, to_jsonb(t)::text FROM `+table+` t`)
		if err != nil {
			return nil, fmt.Errorf("%s: read %s: %w", d.name, table, err)
		}
		all[table] = map[string]string{}
		var name, row string
		if _, err := pgx.ForEachRow(found, []any{&name, &row}, func() error {
			all[table][name] = row
			return nil
		}); err != nil {
			return nil, fmt.Errorf("%s: read %s: %w", d.name, table, err)
		}
	}
	return all, nil
}

// keyOf is what orders and tells apart the rows of a table.
var keyOf = map[string]string{
	"account": "account_id", "payout": "payout_id", "rail_high_water": "account_id", "rail_submission": "payout_id", "rail_sent": "request",
	"ledger_entry": "payout_id || '/' || account_id || '/' || direction", "lock_grant": "lock_key",
}

// tellLost tells the history that the store came back without some of its writes, row by row in the
// order of tables and keys, and reads on from there.
func (d *database) tellLost(ctx context.Context, before map[string]map[string]string) (lost int, err error) {
	after, err := d.rows(ctx)
	if err != nil {
		return 0, err
	}
	var clock int64
	if err := d.control.QueryRow(ctx, `SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint`).Scan(&clock); err != nil {
		return 0, err
	}
	d.w.record(&history.Event{Process: d.name, Kind: history.OK, Op: history.StoreLost, Truth: true, Clock: clock * 1000, Note: "failover"})
	for _, table := range slices.Sorted(maps.Keys(before)) {
		keys := maps.Clone(before[table])
		maps.Copy(keys, after[table])
		columns := audited[d.name][table]
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			was, now := before[table][key], after[table][key]
			if was == now {
				continue
			}
			c := truth.RowChange{Store: d.name, Table: table, Columns: columns, Clock: clock * 1000}
			if c.Old, err = rowOf(columns, []byte(was)); err != nil {
				return lost, err
			}
			if c.New, err = rowOf(columns, []byte(now)); err != nil {
				return lost, err
			}
			events := truth.AppendLost(nil, &c)
			for i := range events {
				d.w.record(&events[i])
				lost++
			}
		}
	}
	d.audit.timeline++
	return lost, d.skip(ctx)
}

// skip takes what the record holds by now as read.
func (d *database) skip(ctx context.Context) error {
	a := &d.audit
	a.seen = map[int64]int64{}
	if err := d.control.QueryRow(ctx, `SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint`).Scan(&a.from); err != nil {
		return err
	}
	found, err := d.control.Query(ctx, `SELECT seq, tx FROM dlsim.audit WHERE tx >= $1`, a.from)
	if err != nil {
		return err
	}
	var seq, tx int64
	_, err = pgx.ForEachRow(found, []any{&seq, &tx}, func() error {
		a.seen[seq] = tx
		return nil
	})
	return err
}
