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
)

// foreign is a database on a server of the user's: everything lies in a schema of its own, which is
// dropped at the end. Nothing is done to the server that others could feel.
type foreign struct {
	config *pgx.ConnConfig
	schema string
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
	first, err := pgx.ConnectConfig(ctx, c.Copy())
	if err != nil {
		return fmt.Errorf("%s: %w", d.name, err)
	}
	defer first.Close(ctx)
	var version int
	if err := first.QueryRow(ctx, `SELECT current_setting('server_version_num')::int`).Scan(&version); err != nil {
		return fmt.Errorf("%s: %w", d.name, err)
	}
	if version < oldestServer {
		return fmt.Errorf("%s: its server has version %d, and runs need %d at least", d.name, version, oldestServer)
	}
	if _, err := first.Exec(ctx, "CREATE SCHEMA "+d.foreign.schema); err != nil {
		return fmt.Errorf("%s: %w", d.name, err)
	}
	d.foreign.made()
	d.control, err = d.connect(ctx)
	return err
}

// made marks the schema as one to drop.
func (f *foreign) made() { f.config.RuntimeParams["search_path"] = f.schema }

func (f *foreign) exists() bool { return f.config.RuntimeParams["search_path"] == f.schema }

func (f *foreign) connect(ctx context.Context) (*pgx.Conn, error) {
	c := f.config.Copy()
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
	if !f.exists() {
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
