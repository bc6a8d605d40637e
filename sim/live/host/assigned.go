package host

import (
	"context"
	"sync"
	"time"

	"dlsim/history"
	seam "dlsim/system/host"
	"dlsim/system/paydb"

	"github.com/jackc/pgx/v5"
)

// patience is how long an executor waits for the payout that it is to take up next before it may
// take up any: a run that is repeated can have gone another way.
const patience = 4 * time.Second

// assignment is the payouts that this executor claimed in the run that is repeated, in order. The
// executor's own code draws among what it is shown; it is shown its next one only.
type assignment struct {
	mu    sync.Mutex
	next  []string
	since time.Time // of the last claim
}

// shows reports whether the executor is to see a payout now.
func (a *assignment) shows(payout string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.since.IsZero() {
		a.since = time.Now()
	}
	return len(a.next) == 0 || payout == a.next[0] || time.Since(a.since) > patience
}

// see takes a claim off the list, with whatever stood before it.
func (a *assignment) see(e *history.Event) {
	if e.Op != history.PayoutClaim || e.Kind != history.OK {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.since = time.Now()
	for i, p := range a.next {
		if p == e.Payout {
			a.next = a.next[i+1:]
			return
		}
	}
}

// findWork is the statement by which executors look for work.
var findWork = paydb.Statements()["FindWork"]

// assignedDB is a pool whose look for work shows what is assigned.
type assignedDB struct {
	seam.DB
	assignment *assignment
}

// Query implements host.DB.
func (d assignedDB) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	rows, err := d.DB.Query(ctx, sql, args...)
	if err != nil || sql != findWork {
		return rows, err
	}
	return &assignedRows{rows, d.assignment}, nil
}

type assignedRows struct {
	pgx.Rows
	assignment *assignment
}

// Next implements pgx.Rows. The payout's id is the first column.
func (r *assignedRows) Next() bool {
	for r.Rows.Next() {
		if r.assignment.shows(string(r.Rows.RawValues()[0])) {
			return true
		}
	}
	return false
}
