package pgcluster

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
)

// initdbArgs make a small cluster fast. Locale C is what the model of PostgreSQL sorts by.
var initdbArgs = []string{"-A", "trust", "-U", "postgres", "-N", "--no-instructions", "--locale=C", "-E", "UTF8", "--wal-segsize=1"}

// slimming leaves one database, "postgres": three quarters of the files are copies of it.
var slimming = []string{
	"UPDATE pg_database SET datistemplate = false",
	"DROP DATABASE template0",
	"DROP DATABASE template1",
	"CHECKPOINT",
}

var building sync.Mutex

// template returns the folder of a stopped cluster to copy, making it where this user has none
// yet. Another version, other options or another way to slim make another one.
func template(ctx context.Context, in Install, parent string) (string, error) {
	building.Lock()
	defer building.Unlock()
	cache, err := cacheFolder()
	if err != nil {
		return "", fmt.Errorf("where to keep the template cluster: %w", err)
	}
	key := sha256.Sum256([]byte(strings.Join(append([]string{in.Bin, in.Version}, append(initdbArgs, slimming...)...), "\x00")))
	dir := filepath.Join(cache, fmt.Sprintf("postgres-%x", key[:8]))
	if _, err := os.Stat(filepath.Join(dir, "PG_VERSION")); err == nil {
		return dir, nil
	}
	if err := build(ctx, in, parent, dir); err != nil {
		return "", fmt.Errorf("make the template cluster: %w", err)
	}
	return dir, nil
}

// build makes the template elsewhere and moves it in whole.
func build(ctx context.Context, in Install, parent, dir string) error {
	c, err := create(in, Options{Parent: parent, Settings: map[string]string{"max_connections": "10"}})
	if err != nil {
		return err
	}
	defer c.Close()
	init, err := c.guard.start(command{
		Path: filepath.Join(in.Bin, "initdb"), Args: append(initdbArgs, "-D", c.data),
		Env: []string{"PATH=/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"}, Log: c.logFile(), User: c.user, Whole: true,
	})
	if err != nil {
		return err
	}
	<-init.exited // it takes a second or four, whatever comes
	if err := ctx.Err(); err != nil {
		return err
	}
	if init.status != "exit status 0" {
		return fmt.Errorf("initdb: %s%s", init.status, c.logTail())
	}
	if err := c.Restart(ctx); err != nil {
		return err
	}
	if err := slim(ctx, c.SocketDSN()); err != nil {
		return err
	}
	c.Stop()
	made, err := os.MkdirTemp(filepath.Dir(dir), "new-") // mode 0700
	if err != nil {
		return err
	}
	if err := copyTree(c.data, filepath.Join(made, "data"), credential{}); err != nil {
		os.RemoveAll(made)
		return err
	}
	err = os.Rename(filepath.Join(made, "data"), dir)
	os.RemoveAll(made)
	if errors.Is(err, fs.ErrExist) { // another process was first
		return nil
	}
	return err
}

func slim(ctx context.Context, dsn string) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for _, sql := range slimming {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}
