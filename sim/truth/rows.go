// Package truth turns what a store did into events of the history: the second, certain record
// beside what clients believed. Both worlds use it, the virtual one from the stores' models, the
// live one from audit triggers and an etcd watch.
package truth

import (
	"fmt"
	"time"

	"dlsim/history"
)

// RowChange is one row as one commit of a PostgreSQL store left it.
type RowChange struct {
	Store, Table string
	Columns      []string // names, in the order of Old and New
	// Old and New are the row before and after; nil when there was or is none. Values are string,
	// int64, bool, time.Time or nil.
	Old, New []any
	Tx       int64 // transaction id; rows of one commit share it
	Clock    int64 // the store's own clock at the change, ns since the Unix epoch
}

// Append appends the events of c to dst. A table that nobody judges appends nothing; a column
// missing from a table that is judged is a bug and panics.
func Append(dst []history.Event, c *RowChange) []history.Event {
	return appendRow(dst, c, "")
}

// AppendLost is Append for a row that differs because the store forgot writes: Old is what the
// store had shown, New what it shows now.
func AppendLost(dst []history.Event, c *RowChange) []history.Event {
	return appendRow(dst, c, history.Lost)
}

func appendRow(dst []history.Event, c *RowChange, note string) []history.Event {
	switch c.Table {
	case "payout":
		return append(dst, payout(c, note))
	case "account":
		return append(dst, account(c, note))
	case "ledger_entry":
		return append(dst, ledger(c, note))
	case "rail_high_water":
		return append(dst, mark(c, note))
	case "rail_submission":
		return append(dst, submission(c, note))
	case "rail_sent":
		return append(dst, sent(c, note))
	case "lock_grant":
		return lockGrant(dst, c, note)
	}
	return dst
}

func (c *RowChange) event(op history.Op, note string) history.Event {
	return history.Event{Process: c.Store, Kind: history.OK, Op: op, Truth: true, Tx: c.Tx, Clock: c.Clock, Note: note}
}

// key reads a column that never changes: from the new row, or the old one where it is gone.
func (c *RowChange) key(column string) string {
	if c.New != nil {
		return c.text(c.New, column)
	}
	return c.text(c.Old, column)
}

func (c *RowChange) number(column string) int64 {
	if c.New != nil {
		return c.int(c.New, column)
	}
	return c.int(c.Old, column)
}

func (c *RowChange) at(row []any, column string) any {
	if row == nil {
		return nil
	}
	for i, name := range c.Columns {
		if name == column {
			return row[i]
		}
	}
	panic(fmt.Sprintf("truth: %s has no column %s", c.Table, column))
}

// text, int and nanos read a value of row; the zero value where there is no row, or null in it.
func (c *RowChange) text(row []any, column string) string {
	switch v := c.at(row, column).(type) {
	case nil:
		return ""
	case string:
		return v
	default:
		panic(fmt.Sprintf("truth: %s.%s is a %T", c.Table, column, v))
	}
}

func (c *RowChange) int(row []any, column string) int64 {
	switch v := c.at(row, column).(type) {
	case nil:
		return 0
	case int64:
		return v
	case int32:
		return int64(v)
	default:
		panic(fmt.Sprintf("truth: %s.%s is a %T", c.Table, column, v))
	}
}

func (c *RowChange) nanos(row []any, column string) int64 {
	switch v := c.at(row, column).(type) {
	case nil:
		return 0
	case time.Time:
		return v.UnixNano()
	default:
		panic(fmt.Sprintf("truth: %s.%s is a %T", c.Table, column, v))
	}
}

func payout(c *RowChange, note string) history.Event {
	e := c.event(history.PayoutWritten, note)
	e.Payout, e.Account, e.Amount = c.key("payout_id"), c.key("account_id"), c.number("amount_minor")
	e.Token, e.PriorToken = c.int(c.New, "fence"), c.int(c.Old, "fence")
	e.State, e.PriorState = c.text(c.New, "state"), c.text(c.Old, "state")
	return e
}

func account(c *RowChange, note string) history.Event {
	e := c.event(history.AccountWritten, note)
	e.Account = c.key("account_id")
	e.Amount, e.PriorMoney = c.int(c.New, "balance_minor"), c.int(c.Old, "balance_minor")
	e.Token, e.PriorToken = c.int(c.New, "fence"), c.int(c.Old, "fence")
	return e
}

func ledger(c *RowChange, note string) history.Event {
	e := c.event(history.LedgerWritten, note)
	e.Payout, e.Account, e.State = c.key("payout_id"), c.key("account_id"), c.key("direction")
	e.Amount, e.Token = c.number("amount_minor"), c.number("token")
	if c.New == nil {
		e.Note = gone("deleted", note)
	}
	return e
}

func mark(c *RowChange, note string) history.Event {
	e := c.event(history.MarkWritten, note)
	e.Account = c.key("account_id")
	e.Token, e.PriorToken = c.int(c.New, "token"), c.int(c.Old, "token")
	if c.New == nil {
		e.Note = gone("mark deleted", note)
	}
	return e
}

func submission(c *RowChange, note string) history.Event {
	e := c.event(history.SubmissionWritten, note)
	e.Payout, e.Account, e.Amount = c.key("payout_id"), c.key("account_id"), c.number("amount_minor")
	e.Token, e.PriorToken = c.int(c.New, "token"), c.int(c.Old, "token")
	e.State, e.PriorState = c.text(c.New, "state"), c.text(c.Old, "state")
	e.Reference = c.text(c.New, "rail_reference")
	return e
}

// sent is a payment where the rail is a table. One that vanishes is told with a note.
func sent(c *RowChange, note string) history.Event {
	e := c.event(history.RailPaid, note)
	e.Payout, e.Account, e.Amount = c.key("payout_id"), c.key("account_id"), c.number("amount_minor")
	e.Request, e.Reference = c.key("request"), c.key("request")
	if c.New == nil {
		e.Note = gone("deleted", note)
	}
	return e
}

// gone is the note of a row that is no more; that its store forgot it says more than that it went.
func gone(how, note string) string {
	if note != "" {
		return note
	}
	return how
}

// lockGrant tells by what changed whether a lock's row was granted, renewed or released. A row
// that a store forgot is told as the grant that is in force again, or as a release of the one
// that vanished. Expiry writes nothing: the next grant shows it, by Clock and the last Expires.
func lockGrant(dst []history.Event, c *RowChange, note string) []history.Event {
	oldToken, newToken := c.int(c.Old, "token"), c.int(c.New, "token")
	oldOwner, newOwner := c.text(c.Old, "owner"), c.text(c.New, "owner")
	e := c.event("", note)
	e.Account = c.key("lock_key")
	e.Owner, e.Token, e.Expires = newOwner, newToken, c.nanos(c.New, "expires_at")
	switch {
	case c.New == nil || newOwner == "":
		if oldOwner == "" && newToken == oldToken {
			return dst // it was free and is
		}
		e.Op, e.Owner, e.Expires = history.LockReleased, oldOwner, 0
		if oldToken != 0 {
			e.Token = oldToken
		}
	case newToken != oldToken || oldOwner == "":
		e.Op, e.PriorToken = history.LockGranted, oldToken
	default:
		e.Op = history.LockRenewed
	}
	return append(dst, e)
}
