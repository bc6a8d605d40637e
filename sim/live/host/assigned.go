package host

import (
	"context"
	"errors"
	"sync"
	"time"

	"dlsim/sim/live/control"
	seam "dlsim/system/host"
	"dlsim/system/paydb"

	"github.com/jackc/pgx/v5"
)

// assignment is what the harness lets this executor see of the work, where a run is repeated: the
// payout that it claimed next then. The executor's own code draws among what it is shown.
type assignment struct {
	mu      sync.Mutex
	show    control.Show
	changed chan struct{} // closed at the next change
}

func newAssignment(s control.Show) *assignment {
	return &assignment{show: s, changed: make(chan struct{})}
}

func (a *assignment) set(s control.Show) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.show = s
	close(a.changed)
	a.changed = make(chan struct{})
}

func (a *assignment) now() (control.Show, <-chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.show, a.changed
}

// turnBound is how long a look for work waits for its turn. A look that failed is repeated sooner
// than one that found nothing.
const turnBound = time.Second

var errNotYet = errors.New("it is not this executor's turn")

// assignedDB is a pool whose look for work shows what is assigned.
type assignedDB struct {
	seam.DB
	assignment *assignment
}

// findWork is the statement by which executors look for work.
var findWork = paydb.Statements()["FindWork"]

// Query implements host.DB.
func (d assignedDB) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if sql != findWork {
		return d.DB.Query(ctx, sql, args...)
	}
	late := time.NewTimer(turnBound)
	defer late.Stop()
	for {
		show, changed := d.assignment.now()
		if show.All || show.Payout != "" {
			rows, err := d.DB.Query(ctx, sql, args...)
			if err != nil || show.All {
				return rows, err
			}
			return &assignedRows{rows, show.Payout}, nil
		}
		select {
		case <-changed:
		case <-late.C:
			return nil, errNotYet
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

type assignedRows struct {
	pgx.Rows
	payout string
}

// Next implements pgx.Rows. The payout's id is the first column.
func (r *assignedRows) Next() bool {
	for r.Rows.Next() {
		if string(r.Rows.RawValues()[0]) == r.payout {
			return true
		}
	}
	return false
}
