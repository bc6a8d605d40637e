// Package host is the seam between the system under test and the machine it runs on. Everything
// in system/ that touches time, concurrency, network, storage or chance goes through a Host, so
// the same code runs as coroutines in the virtual world and as OS processes in the live one.
package host

import (
	"context"
	"net/http"
	"time"

	"dlsim/history"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// Host is one process's machine. Every method is safe to call from any task of that process and
// from no other process.
type Host interface {
	// Name is the process's name in the topology, e.g. "executor-2".
	Name() string

	// Now reads the wall clock. It may be wrong, step and drift: never subtract one host's Now
	// from another's.
	Now() time.Time
	// Monotonic reads a clock that only runs forward and starts anywhere. It drifts with the
	// process's clock but never steps.
	Monotonic() time.Duration
	// Sleep waits for d or until ctx is done, and returns ctx's error in that case.
	Sleep(ctx context.Context, d time.Duration) error

	// WithTimeout and WithCancel are context's functions over this host's clock and scheduler.
	WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc)
	WithCancel(ctx context.Context) (context.Context, context.CancelFunc)
	// Detach keeps ctx's values and drops its deadline and cancellation.
	Detach(ctx context.Context) context.Context

	// Go starts a task named for stories and traces.
	Go(name string, f func()) Task
	// NewMutex returns a lock for the process's own memory: handlers run side by side.
	NewMutex() Mutex

	// Transport carries HTTP requests to other processes: the URL's host is the process's name.
	// It never retries and never reuses an answer.
	Transport() http.RoundTripper
	// Serve answers the requests that reach this process with handler until the process ends.
	// It returns at once; requests that arrive before it are refused.
	Serve(handler http.Handler) error

	// DB is the process's pool to the named PostgreSQL store ("paydb", "lockdb").
	DB(store string) DB
	// Etcd is the process's client of the etcd cluster. Calls it makes are not retried.
	Etcd() (clientv3.KV, clientv3.Lease)
	// Log opens the process's own durable append-only file. Its content survives kill and restart.
	Log(name string) (Log, error)

	// Uint64n draws from [0, n) for a purpose, e.g. "executor.pick". n must be positive.
	Uint64n(purpose string, n uint64) uint64

	// Record appends e to the history before the caller goes on, and returns its ID. The host
	// fills ID, Time and Process.
	Record(e history.Event) int64
	// Directive is the harness's standing instruction to this process under name, or "". Only
	// stand-ins for parties outside the system obey any: the rail-stub asks for "rail".
	Directive(name string) string
}

// Task is a started task.
type Task interface {
	// Wait returns when the task has ended, or with ctx's error before that.
	Wait(ctx context.Context) error
}

// Mutex is sync.Locker, given by the host.
type Mutex interface {
	Lock()
	Unlock()
}

// DB is what the system uses of *pgxpool.Pool.
type DB interface {
	BeginTx(ctx context.Context, opts pgx.TxOptions) (pgx.Tx, error)
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Log is a durable append-only file of records.
type Log interface {
	// Append makes record durable before it returns nil. After an error the record may or may
	// not be there.
	Append(record []byte) error
	// Records returns every record ever appended, in order.
	Records() ([][]byte, error)
}
