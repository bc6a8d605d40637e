package live

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"dlsim/sim"
	"dlsim/sim/truth"

	"github.com/jackc/pgx/v5"
)

// auditSchema records every change of a row in the transaction that makes it. The trigger holds the
// row's lock when it draws the number, so the numbers of one row follow its commits.
const auditSchema = `
CREATE TABLE AUDIT.audit (
    seq     bigserial   PRIMARY KEY,
    tx      bigint      NOT NULL,
    at      timestamptz NOT NULL,
    relname text        NOT NULL,
    was     jsonb,
    is_now  jsonb
);
CREATE INDEX ON AUDIT.audit (tx);
CREATE FUNCTION AUDIT.note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO AUDIT.audit (tx, at, relname, was, is_now) VALUES (
        pg_current_xact_id()::text::bigint, clock_timestamp(), TG_TABLE_NAME,
        CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) END, CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) END);
    RETURN NULL;
END $$;`

// audited lists the columns of every table that is judged.
var audited = map[string]map[string][]string{
	sim.Paydb: {
		"account":         {"account_id", "balance_minor", "fence"},
		"payout":          {"payout_id", "account_id", "amount_minor", "state", "fence"},
		"ledger_entry":    {"payout_id", "account_id", "direction", "amount_minor", "token"},
		"rail_high_water": {"account_id", "token"},
		"rail_submission": {"payout_id", "account_id", "token", "amount_minor", "state", "rail_reference", "first_seen_rail_ms"},
		"rail_sent":       {"request", "payout_id", "account_id", "amount_minor"},
	},
	sim.Lockdb: {
		"lock_grant": {"lock_key", "owner", "token", "ttl_ms", "expires_at"},
	},
}

// auditTriggers puts a trigger on every judged table of a store.
func auditTriggers(store string) string {
	var b bytes.Buffer
	for table := range audited[store] {
		fmt.Fprintf(&b, "CREATE TRIGGER dlsim_audit AFTER INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW EXECUTE FUNCTION AUDIT.note();\n", table)
	}
	return b.String()
}

// auditRows is everything from a transaction on, and the oldest transaction that may still be under
// way. Both are read from one snapshot.
const auditRows = `SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint, (pg_current_wal_insert_lsn() - '0/0')::bigint, a.seq, a.tx,
(extract(epoch FROM a.at) * 1000000)::bigint, a.relname, a.was::text, a.is_now::text
FROM (SELECT) one LEFT JOIN AUDIT.audit a ON a.tx >= $1`

// auditRows is the look's text, made once.
func (d *database) auditRows() string {
	if d.look == "" {
		d.look = d.inAudit(auditRows)
	}
	return d.look
}

// audit is how far the record of one server has been read.
type audit struct {
	as   string          // whom the history says it of
	from int64           // every older transaction has ended and been read
	seen map[int64]int64 // rows of transactions from there on that were read: seq to transaction
	// untold are rows read and not yet taken up. Taking one up can have a fault strike this very
	// store, which reads on: the rows that are left then come first, from within.
	untold []auditRow
	// timeline counts the failovers: a promoted standby counts its transactions on from where it
	// stood, and so may use a number again.
	timeline int64
}

type auditRow struct {
	seq, tx, micros int64
	table           string
	was, now        []byte
	last            int64 // highest seq of the same transaction
}

// catchUp takes up every commit that the server has made visible by now. A client hears of its
// commit later than that, so whatever it does then comes after it in the history.
//
// Commits found together are taken up in the order of their last row. Two that touched a row in
// common are then in the order in which they committed, since the second could not write that row,
// or anything after it, before the first had ended.
func (d *database) catchUp() {
	if d.control != nil {
		if err := d.read(&d.audit, d.control); err != nil {
			d.w.fail(fmt.Errorf("%s: read the record: %w", d.name, err))
		}
	}
	if old := d.demoted; old != nil {
		if err := d.read(&old.audit, old.control); err != nil {
			d.w.fail(fmt.Errorf("%s: read the record: %w", old.audit.as, err))
		}
	}
}

func (d *database) read(a *audit, conn *pgx.Conn) error {
	if a.seen == nil {
		a.seen = map[int64]int64{}
	}
	ctx, cancel := context.WithTimeout(context.Background(), controlBound)
	defer cancel()
	begun := time.Now()
	found, err := conn.Query(ctx, d.auditRows(), a.from)
	if err != nil {
		return err
	}
	defer found.Close()
	var rows []auditRow
	last := map[int64]int64{}
	var oldest, position int64
	for found.Next() {
		var seq, tx, micros *int64
		var table *string
		var r auditRow
		if err := found.Scan(&oldest, &position, &seq, &tx, &micros, &table, &r.was, &r.now); err != nil {
			return err
		}
		if seq == nil || a.seen[*seq] != 0 {
			continue
		}
		r.seq, r.tx, r.micros, r.table = *seq, *tx, *micros, *table
		a.seen[r.seq] = r.tx
		last[r.tx] = max(last[r.tx], r.seq)
		rows = append(rows, r)
	}
	if err := found.Err(); err != nil {
		return err
	}
	found.Close()
	d.log.add(begun, position)
	a.from = oldest
	maps.DeleteFunc(a.seen, func(_, tx int64) bool { return tx < oldest })
	for i := range rows {
		rows[i].last = last[rows[i].tx]
	}
	slices.SortFunc(rows, func(x, y auditRow) int {
		return cmp.Or(cmp.Compare(x.last, y.last), cmp.Compare(x.seq, y.seq))
	})
	a.untold = append(a.untold, rows...)
	for len(a.untold) > 0 {
		r := a.untold[0]
		a.untold = a.untold[1:]
		if err := d.tell(a, &r); err != nil {
			return err
		}
	}
	return nil
}

func (d *database) tell(a *audit, r *auditRow) error {
	columns := audited[d.name][r.table]
	was, err := rowOf(columns, r.was)
	if err != nil {
		return err
	}
	now, err := rowOf(columns, r.now)
	if err != nil {
		return err
	}
	change := truth.RowChange{Store: a.as, Table: r.table, Columns: columns, Old: was, New: now, Tx: r.tx + a.timeline<<40, Clock: r.micros * 1000}
	d.told++
	events := truth.Append(nil, &change)
	for i := range events {
		d.w.record(&events[i])
	}
	return nil
}

// rowOf reads a row from its JSON; nil for none.
func rowOf(columns []string, text []byte) ([]any, error) {
	if len(text) == 0 {
		return nil, nil
	}
	decode := json.NewDecoder(bytes.NewReader(text))
	decode.UseNumber()
	var fields map[string]any
	if err := decode.Decode(&fields); err != nil {
		return nil, err
	}
	row := make([]any, len(columns))
	for i, name := range columns {
		switch v := fields[name].(type) {
		case json.Number:
			n, err := v.Int64()
			if err != nil {
				return nil, fmt.Errorf("column %s: %w", name, err)
			}
			row[i] = n
		case string:
			row[i] = v
			if name == "expires_at" {
				t, err := time.Parse(time.RFC3339Nano, v)
				if err != nil {
					return nil, fmt.Errorf("column %s: %w", name, err)
				}
				row[i] = t
			}
		case nil:
		default:
			return nil, fmt.Errorf("column %s is a %T", name, v)
		}
	}
	return row, nil
}
