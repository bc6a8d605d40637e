package live

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"dlsim/history"
	"dlsim/sim/truth"

	"github.com/jackc/pgx/v5"
)

// rows are the judged rows of a store as they stand, as JSON by table and key.
type rows map[string]map[string]string

func (d *database) rows(ctx context.Context) (rows, error) {
	all := rows{}
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
func (d *database) tellLost(before rows, why string) (lost int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), controlBound)
	defer cancel()
	after, err := d.rows(ctx)
	if err != nil {
		return 0, err
	}
	var clock int64
	if err := d.control.QueryRow(ctx, `SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint`).Scan(&clock); err != nil {
		return 0, err
	}
	d.w.record(&history.Event{Process: d.name, Kind: history.OK, Op: history.StoreLost, Truth: true, Clock: clock * 1000, Note: why})
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
