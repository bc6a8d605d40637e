package postgres

import "time"

// Env is the machine under the server. Everything that takes time or needs a scheduler goes
// through it.
type Env interface {
	// Now is the server's wall clock in nanoseconds since the Unix epoch. It may step.
	Now() int64
	// Wait parks the coroutine that runs s's current statement until Wake(s).
	Wait(s *Session)
	// Wake marks the coroutine that runs s's statement runnable. The engine calls it in the
	// middle of its own work, so it must not run anything.
	Wake(s *Session)
	// After calls f once d of the server's time has passed, unless cancelled before.
	After(d time.Duration, f func()) (cancel func())
	// Flush returns once the commit record of s is durable. It may park s; a server that crashes
	// meanwhile wakes it, and it must then return.
	Flush(s *Session)
	// Committed is called at the instant a commit that changed rows becomes visible, in commit
	// order. It must not call into the engine.
	Committed(c *Commit)
}

// Commit is what one transaction did to the tables.
type Commit struct {
	// Tx is the transaction's xid, LSN its position in the log, Clock the server's wall clock in
	// nanoseconds since the Unix epoch when it became visible.
	Tx, LSN, Clock int64
	// Rows are the net changes in order of first touch.
	Rows []RowChange
	// Sequences are the values that sequences had logged by then (PostgreSQL logs 32 ahead), for
	// those that moved since the last commit.
	Sequences []SequenceValue

	room [3]RowChange // for Rows, while they are few
}

// RowChange is the net effect on one row: Old is nil for an inserted row, New for a deleted one.
// Values are string, int64 (bigint), int32 (integer), bool, time.Time (UTC, microseconds),
// pgtype.Interval or nil. The slices are the engine's own and must not be changed.
type RowChange struct {
	Table    string
	Columns  []string
	Old, New []any
}

// SequenceValue says how far a sequence has been logged.
type SequenceValue struct {
	Sequence string
	Logged   int64
}
