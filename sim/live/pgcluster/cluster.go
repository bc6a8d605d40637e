package pgcluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Options choose how a cluster runs. The zero value is a fast server for tests.
type Options struct {
	// Settings override the server's parameters below, by name.
	Settings map[string]string
	// Parent is the folder in which the cluster's own folder is made; "" is /dev/shm where there
	// is one, else the temporary folder. The server's user must be able to enter it.
	Parent string
	// Port is the TCP port on 127.0.0.1; 0 takes a free one below those that the kernel hands out.
	Port int
	// Env are further environment variables of the server, as "NAME=value".
	Env []string
	// StandbyOf is the primary's conninfo ("host=… port=… user=postgres"): the cluster starts as
	// its hot standby. Copies of the template share their system id, so no base backup is needed
	// as long as the primary is still as it was copied, or keeps all WAL since (wal_keep_size).
	StandbyOf string
}

// defaults are for speed: nothing is flushed, since a process crash does not need it. A scenario
// that wants durability sets fsync to on.
var defaults = map[string]string{
	"listen_addresses":           "127.0.0.1",
	"fsync":                      "off",
	"full_page_writes":           "off",
	"synchronous_commit":         "on",
	"shared_buffers":             "16MB",
	"max_connections":            "40",
	"autovacuum":                 "off",
	"dynamic_shared_memory_type": "mmap",
	"jit":                        "off",
	"max_wal_size":               "64MB",
	"min_wal_size":               "8MB",
	"timezone":                   "UTC",
	"log_timezone":               "UTC",
}

// Cluster is one private cluster. Its methods are called by one goroutine at a time.
type Cluster struct {
	install Install
	opts    Options
	user    credential
	root    string // everything below is removed by Close
	data    string
	sock    string
	port    int
	guard   *guard
	running *postmaster // nil before the first start and after it ended
}

// Start makes a cluster and starts it; it accepts connections when Start returns. Whatever fails,
// nothing is left behind.
func Start(ctx context.Context, in Install, opts Options) (*Cluster, error) {
	c, err := create(in, opts)
	if err != nil {
		return nil, err
	}
	if err := c.fill(ctx); err != nil {
		c.Close()
		return nil, err
	}
	if err := c.Restart(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// create makes the cluster's folder and its guard, without data.
func create(in Install, opts Options) (*Cluster, error) {
	who, err := serverUser()
	if err != nil {
		return nil, err
	}
	parent := opts.Parent
	if parent == "" {
		parent = os.TempDir()
		if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
			parent = "/dev/shm"
		}
	}
	root, err := privateFolder(parent, who)
	if err != nil {
		return nil, err
	}
	c := &Cluster{install: in, opts: opts, user: who, root: root, data: filepath.Join(root, "data"), sock: root, port: opts.Port}
	folders := []string{root}
	if len(root) > 80 { // a socket's path has room for 107 bytes
		if c.sock, err = privateFolder("/tmp", who); err != nil {
			os.RemoveAll(root)
			return nil, err
		}
		folders = append(folders, c.sock)
	}
	c.guard, err = newGuard(guardConfig{Folders: folders, Data: c.data})
	if err != nil {
		for _, dir := range folders {
			os.RemoveAll(dir)
		}
		return nil, err
	}
	return c, nil
}

func privateFolder(parent string, who credential) (string, error) {
	dir, err := os.MkdirTemp(parent, "dlsim-pg-") // mode 0700
	if err != nil {
		return "", fmt.Errorf("make the cluster's folder: %w", err)
	}
	if err := who.own(dir); err != nil {
		os.RemoveAll(dir)
		return "", fmt.Errorf("make the cluster's folder: %w", err)
	}
	return dir, nil
}

// fill puts a fresh copy of the template into the data folder.
func (c *Cluster) fill(ctx context.Context) error {
	from, err := template(ctx, c.install, c.opts.Parent)
	if err != nil {
		return err
	}
	if err := copyTree(from, c.data, c.user); err != nil {
		return fmt.Errorf("copy the template cluster: %w", err)
	}
	if c.opts.StandbyOf == "" {
		return nil
	}
	// In this file, unlike on the command line, ALTER SYSTEM can point the standby elsewhere.
	auto := filepath.Join(c.data, "postgresql.auto.conf")
	conninfo := "primary_conninfo = '" + strings.ReplaceAll(c.opts.StandbyOf, "'", "''") + "'\n"
	if err := os.WriteFile(auto, []byte(conninfo), 0o600); err != nil {
		return err
	}
	signal := filepath.Join(c.data, "standby.signal")
	if err := os.WriteFile(signal, nil, 0o600); err != nil {
		return err
	}
	return c.user.own(signal)
}

// arguments are the server's, in a fixed order.
func (c *Cluster) arguments() []string {
	set := maps.Clone(defaults)
	maps.Copy(set, c.opts.Settings)
	args := []string{"-D", c.data, "-p", strconv.Itoa(c.port), "-k", c.sock}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		args = append(args, "-c", name+"="+set[name])
	}
	return args
}

// Restart starts the server again on the data it left; it accepts connections when Restart
// returns. After Kill that includes crash recovery.
func (c *Cluster) Restart(ctx context.Context) error {
	if c.running != nil {
		return errors.New("the cluster is running")
	}
	for try := 1; ; try++ {
		if c.port == 0 {
			port, err := freePort()
			if err != nil {
				return err
			}
			c.port = port
		}
		err := c.start(ctx)
		// Somebody else took the port between the look and the start.
		if err == nil || c.opts.Port != 0 || try == 5 || !strings.Contains(err.Error(), "Address already in use") {
			return err
		}
		c.port = 0
	}
}

func (c *Cluster) start(ctx context.Context) error {
	os.Remove(c.logFile())
	p, err := c.guard.start(command{
		Path: filepath.Join(c.install.Bin, "postgres"), Args: c.arguments(),
		Env: append([]string{"PATH=/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"}, c.opts.Env...), Log: c.logFile(),
		User: c.user,
	})
	if err != nil {
		return fmt.Errorf("start PostgreSQL: %w", err)
	}
	c.running = p
	if err := c.awaitReady(ctx); err != nil {
		c.Kill()
		return fmt.Errorf("start PostgreSQL: %w%s", err, c.logTail())
	}
	return nil
}

// awaitReady waits until line 8 of postmaster.pid says ready, as pg_ctl does.
func (c *Cluster) awaitReady(ctx context.Context) error {
	look := time.NewTicker(2 * time.Millisecond)
	defer look.Stop()
	for {
		if lines := c.pidFile(); len(lines) > 7 && lines[0] == strconv.Itoa(c.running.pid) && strings.TrimSpace(lines[7]) == "ready" {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-c.running.exited:
			return fmt.Errorf("the server ended: %s", c.running.status)
		case <-look.C:
		}
	}
}

func (c *Cluster) pidFile() []string {
	text, err := os.ReadFile(filepath.Join(c.data, "postmaster.pid"))
	if err != nil {
		return nil
	}
	return strings.Split(string(text), "\n")
}

func (c *Cluster) logFile() string { return filepath.Join(c.root, "log") }

func (c *Cluster) logTail() string {
	text, err := os.ReadFile(c.logFile())
	if err != nil || len(text) == 0 {
		return ""
	}
	return ". Its log ends:\n" + string(text[max(0, len(text)-2000):])
}

// freePort finds a port below those that the kernel gives to outgoing connections: one of those
// could be taken while the server restarts.
func freePort() (int, error) {
	for range 200 {
		port := 20000 + rand.IntN(12000)
		l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port))
		if err == nil {
			return port, l.Close()
		}
	}
	return 0, errors.New("no free port between 20000 and 31999")
}

// Port is the TCP port on 127.0.0.1. It stays the same over restarts.
func (c *Cluster) Port() int { return c.port }

// DSN connects through TCP, where a proxy could stand.
func (c *Cluster) DSN() string {
	return fmt.Sprintf("host=127.0.0.1 port=%d user=postgres dbname=postgres sslmode=disable", c.port)
}

// SocketDSN connects through the socket, past any proxy.
func (c *Cluster) SocketDSN() string {
	return fmt.Sprintf("host=%s port=%d user=postgres dbname=postgres sslmode=disable", c.sock, c.port)
}

// Data is the data folder.
func (c *Cluster) Data() string { return c.data }

// Log is the file that the server logs to; each start begins it anew.
func (c *Cluster) Log() string { return c.logFile() }

// Install is the PostgreSQL that the cluster runs.
func (c *Cluster) Install() Install { return c.install }
