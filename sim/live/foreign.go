package live

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// foreign is a database on a server of the user's: everything lies in a schema of its own, which is
// dropped at the end. Nothing is done to the server that others could feel.
//
// The harness's session holds an advisory lock by the schema's name for as long as it lives. A schema
// whose lock is free was left by a harness that was killed, and the next one drops it.
type foreign struct {
	config *pgx.ConnConfig
	schema string
	made   bool // it is there, and to be dropped
}

// oldestServer is the first version that has pg_current_snapshot.
const oldestServer = 130000

// useForeign makes the schema on the user's server and connects to it.
func (d *database) useForeign(ctx context.Context, dsn string) error {
	if d.standby {
		return &UnsupportedError{"an asynchronous standby of " + d.name, "its server is the user's, named by a DSN"}
	}
	c, err := pgx.ParseConfig(dsn)
	if err != nil {
		return fmt.Errorf("%s: its DSN: %w", d.name, err)
	}
	if strings.HasPrefix(c.Host, "/") {
		return fmt.Errorf("%s: its DSN names a socket: links need a host and a port", d.name)
	}
	d.foreign = &foreign{config: c, schema: fmt.Sprintf("dlsim_%d_%s", os.Getpid(), strings.ToLower(rand.Text()[:8]))}
	if d.control, err = d.connect(ctx); err != nil {
		return err
	}
	var version int
	if err := d.control.QueryRow(ctx, `SELECT current_setting('server_version_num')::int`).Scan(&version); err != nil {
		return fmt.Errorf("%s: %w", d.name, err)
	}
	if version < oldestServer {
		return fmt.Errorf("%s: its server has version %d, and runs need %d at least", d.name, version, oldestServer)
	}
	if _, err := d.control.Exec(ctx, "SELECT pg_advisory_lock("+lockOf+")", d.foreign.schema); err != nil {
		return fmt.Errorf("%s: %w", d.name, err)
	}
	if err := sweepSchemas(ctx, d.control); err != nil {
		return fmt.Errorf("%s: schemas that were left: %w", d.name, err)
	}
	if _, err := d.control.Exec(ctx, "CREATE SCHEMA "+d.foreign.schema); err != nil {
		return fmt.Errorf("%s: %w", d.name, err)
	}
	d.foreign.made = true
	return nil
}

// lockOf is the advisory lock of the schema named by the first argument.
const lockOf = "hashtextextended($1, 0)"

// sweepSchemas drops the schemas of harnesses that are gone. One that cannot be dropped now, since
// somebody still reads it, is left for the next.
func sweepSchemas(ctx context.Context, c *pgx.Conn) error {
	found, err := c.Query(ctx, `SELECT nspname FROM pg_namespace
WHERE nspname ~ '^dlsim_[0-9]+_[a-z0-9]{8}$' AND pg_has_role(nspowner, 'USAGE') ORDER BY nspname`)
	if err != nil {
		return err
	}
	names, err := pgx.CollectRows(found, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, name := range names {
		var dead bool
		if err := c.QueryRow(ctx, "SELECT pg_try_advisory_lock("+lockOf+")", name).Scan(&dead); err != nil {
			return err
		}
		if !dead {
			continue
		}
		_, err := c.Exec(ctx, "BEGIN; SET LOCAL lock_timeout = '2s'; DROP SCHEMA IF EXISTS "+name+" CASCADE; COMMIT")
		var refused *pgconn.PgError
		if err != nil && !errors.As(err, &refused) {
			return err
		}
		if err != nil {
			if _, err := c.Exec(ctx, "ROLLBACK"); err != nil {
				return err
			}
		}
		if _, err := c.Exec(ctx, "SELECT pg_advisory_unlock("+lockOf+")", name); err != nil {
			return err
		}
	}
	return nil
}

func (f *foreign) connect(ctx context.Context) (*pgx.Conn, error) {
	c := f.config.Copy()
	c.RuntimeParams["search_path"] = f.schema
	c.RuntimeParams["application_name"] = harnessName
	return pgx.ConnectConfig(ctx, c)
}

func (f *foreign) upstream() string {
	return net.JoinHostPort(f.config.Host, strconv.Itoa(int(f.config.Port)))
}

// dsnAt is the DSN of a client of the system through the link at addr.
func (f *foreign) dsnAt(addr, client string) string {
	mode := "disable"
	if f.config.TLSConfig != nil {
		mode = "require" // the name that a certificate is for is not the link's
	}
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(f.config.User, f.config.Password), Host: addr, Path: "/" + f.config.Database,
		RawQuery: url.Values{"sslmode": {mode}, "search_path": {f.schema}, "application_name": {client}}.Encode(),
	}
	return u.String()
}

// drop removes the schema and all in it.
func (f *foreign) drop() error {
	if !f.made {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	c, err := f.connect(ctx)
	if err != nil {
		return fmt.Errorf("schema %s is left on the server: %w", f.schema, err)
	}
	defer c.Close(ctx)
	// Sessions of killed processes may hold locks for a moment.
	_, err = c.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND pid IN
(SELECT l.pid FROM pg_locks l JOIN pg_class r ON r.oid = l.relation JOIN pg_namespace n ON n.oid = r.relnamespace WHERE n.nspname = $1)`, f.schema)
	_, dropped := c.Exec(ctx, "DROP SCHEMA IF EXISTS "+f.schema+" CASCADE")
	if dropped != nil {
		return fmt.Errorf("schema %s is left on the server: %w", f.schema, errors.Join(dropped, err))
	}
	return nil
}
