package live

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"dlsim/sim"
	"dlsim/sim/live/pgcluster"
	"dlsim/system/paydb"

	"github.com/jackc/pgx/v5"
)

// database is one PostgreSQL store: a private cluster, the harness's own connection to it, and
// where a scenario asks for one, an asynchronous standby.
type database struct {
	w       *World
	name    string
	schema  string
	standby bool

	cluster *pgcluster.Cluster
	second  *pgcluster.Cluster // the standby, until it is promoted
	control *pgx.Conn          // past every link; nil while the server is down
	board   *switchboard       // before the cluster, where there is a standby
	demoted *demoted           // the old primary after a failover, until that is healed
	clock   *storeClock        // nil where it cannot be set
	foreign *foreign           // a server of the user's, in place of the clusters
	audit   audit
	stalls  int    // that stand
	struck  bool   // an act is under way: events that it brings about can call for another
	look    string // the SQL that reads the record
	told    int    // rows taken up from the record
	log     logPoints
	// under is what remains to be done on the loop after a recovery or a promotion, while one is
	// under way beside it. The clusters are its until then.
	under  func()
	coming sync.WaitGroup
}

func (d *database) stores() []sim.Store {
	s := []sim.Store{{Name: d.name, Kind: sim.Postgres}}
	if d.standby {
		s = append(s, sim.Store{Name: d.standbyName(), Kind: sim.Postgres})
	}
	return s
}

// start makes the cluster with schema and audit, and connects.
func (d *database) start(ctx context.Context) error {
	if dsn := d.w.options.DSN[d.name]; dsn != "" {
		if err := d.useForeign(ctx, dsn); err != nil {
			return err
		}
		return d.prepare(ctx)
	}
	in, err := pgcluster.Find()
	if err != nil {
		return err
	}
	o := pgcluster.Options{Parent: parentFolder()}
	if o.Env, err = d.fakeClock(); err != nil {
		return err
	}
	switch {
	case d.standby:
		o.Settings = streaming
	case d.w.options.CrashLoses > 0:
		o.Settings, d.log.keep = pgcluster.Lying, d.w.options.CrashLoses
	}
	if d.cluster, err = pgcluster.Start(ctx, in, o); err != nil {
		return fmt.Errorf("%s: %w", d.name, err)
	}
	if d.control, err = d.connect(ctx); err != nil {
		return err
	}
	if err := d.prepare(ctx); err != nil || !d.standby {
		return err
	}
	return d.follow(ctx)
}

// harnessName is the name of the harness's own sessions.
const harnessName = "dlsim"

// connect opens a session of the harness, past every link.
func (d *database) connect(ctx context.Context) (c *pgx.Conn, err error) {
	if d.foreign != nil {
		c, err = d.foreign.connect(ctx)
	} else {
		c, err = pgx.Connect(ctx, d.cluster.SocketDSN()+" application_name="+harnessName)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.name, err)
	}
	return c, nil
}

func (d *database) prepare(ctx context.Context) error {
	for _, script := range []string{d.schema, "CREATE SCHEMA IF NOT EXISTS " + d.auditSchemaName(), d.inAudit(auditSchema), d.inAudit(auditTriggers(d.name))} {
		if _, err := d.control.Exec(ctx, script); err != nil {
			return fmt.Errorf("%s: schema: %w", d.name, err)
		}
	}
	return nil
}

// open gives every account its opening balance.
func (d *database) open(ctx context.Context, accounts []string, opening int64) error {
	for _, a := range accounts {
		if _, err := d.control.Exec(ctx, paydb.OpenAccount, a, opening); err != nil {
			return fmt.Errorf("%s: open account %s: %w", d.name, a, err)
		}
	}
	return nil
}

// inAudit puts the record's schema into SQL: one beside the store's own tables, and on a server of
// the user's the only one there is.
func (d *database) inAudit(sql string) string {
	return strings.ReplaceAll(sql, "AUDIT.", d.auditSchemaName()+".")
}

func (d *database) auditSchemaName() string {
	if d.foreign != nil {
		return d.foreign.schema
	}
	return "dlsim"
}

// upstream is where the store really listens.
func (d *database) upstream() string {
	if d.foreign != nil {
		return d.foreign.upstream()
	}
	if d.board != nil {
		return d.board.address()
	}
	return upstreamOf(d.cluster)
}

// upstreamOf is where a server really listens.
func upstreamOf(c *pgcluster.Cluster) string {
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(c.Port()))
}

// dsnAt is the store's DSN through the link that listens at addr. The client's name is how the
// harness finds its sessions.
func (d *database) dsnAt(addr, client string) string {
	if d.foreign != nil {
		return d.foreign.dsnAt(addr, client)
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		panic("live: a link at " + addr) // links have addresses
	}
	return fmt.Sprintf("host=%s port=%s user=postgres dbname=postgres sslmode=disable application_name=%s", host, port, client)
}

// controlBound is how long a statement of the harness may take before the run is given up. It takes a
// millisecond; a machine that stood still for seconds has been seen.
const controlBound = 30 * time.Second

// exec runs a statement on the harness's own connection and returns its one number.
func (d *database) exec(sql string, args ...any) (n int, err error) {
	if d.control == nil {
		return 0, fmt.Errorf("%s is not running", d.name)
	}
	ctx, cancel := context.WithTimeout(context.Background(), controlBound)
	defer cancel()
	err = d.control.QueryRow(ctx, sql, args...).Scan(&n)
	return n, err
}

// act has the store misbehave.
func (d *database) act(a sim.StoreAct) (sim.Effect, error) {
	if d.foreign != nil && a.Kind != sim.BackendKill {
		return nil, &UnsupportedError{fmt.Sprintf("%s of %s", a.Kind, d.name), "its server is the user's, named by a DSN"}
	}
	if d.struck || d.under != nil {
		return nil, fmt.Errorf("%s is being struck already", d.name)
	}
	d.struck = true
	defer func() { d.struck = false }()
	switch a.Kind {
	case sim.Crash:
		return d.crash(a.Loses)
	case sim.BackendKill:
		return d.killBackends(a.Target)
	case sim.Stall:
		return d.stall()
	case sim.Failover:
		return d.failover(a.Loses)
	}
	return nil, fmt.Errorf("%s: a PostgreSQL store cannot %q", d.name, a.Kind)
}

// killBackends ends the sessions of one client, or of all (57P01).
func (d *database) killBackends(client string) (sim.Effect, error) {
	clients := []string{client}
	if client == "" {
		clients = nil
		for _, p := range d.w.processes {
			clients = append(clients, p.name)
		}
	}
	n, err := d.exec(`SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
WHERE backend_type = 'client backend' AND datname = current_database() AND application_name = ANY ($1)`, clients)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.name, err)
	}
	return &effect{count: func() int { return n }}, nil
}

// stall makes commits wait for a standby that is not there, after they are on disk and before
// anybody can see them: a disk that does not finish. Unlike a disk's, this wait can be cancelled,
// and then the commit stands.
func (d *database) stall() (sim.Effect, error) {
	if d.control == nil {
		return nil, fmt.Errorf("%s is not running", d.name)
	}
	if err := d.waitForStandby("dlsim_stalled_disk"); err != nil {
		return nil, err
	}
	d.stalls++
	waiting := 0
	count := func() int {
		if n, err := d.exec(`SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`); err == nil {
			waiting = max(waiting, n)
		}
		return waiting
	}
	return &effect{count: count, heal: func() {
		if d.stalls--; d.stalls > 0 || d.control == nil {
			return // another stands, or the server is down and recover sees to it
		}
		if err := d.waitForStandby(""); err != nil {
			d.w.fail(err)
		}
	}}, nil
}

func (d *database) waitForStandby(name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), controlBound)
	defer cancel()
	for _, sql := range []string{"ALTER SYSTEM SET synchronous_standby_names = '" + name + "'", "SELECT pg_reload_conf()"} {
		if _, err := d.control.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", d.name, err)
		}
	}
	return nil
}

func (d *database) disconnect() {
	if d.control != nil {
		hangUp(d.control)
		d.control = nil
	}
}

// hangUp closes a session with a server that is about to go.
func hangUp(c *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = c.Close(ctx)
}

func (d *database) close() {
	d.coming.Wait()
	d.disconnect()
	if d.demoted != nil {
		d.demoted.end()
	}
	if d.board != nil {
		d.board.close()
	}
	for _, c := range []*pgcluster.Cluster{d.second, d.cluster} {
		if c != nil {
			c.Close()
		}
	}
	if d.foreign != nil {
		d.w.fail(d.foreign.drop())
	}
	if d.clock != nil {
		sweepFakeTime()
	}
}
