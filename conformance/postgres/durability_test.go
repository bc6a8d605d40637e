package postgres

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"dlsim/sim/live/pgcluster"
	"dlsim/sim/virtual/postgres"

	"golang.org/x/sys/unix"
)

// These are the losses that no statement can bring about. Each is done to a real server and to the
// model, and the same question is put to both afterwards.

const durabilitySchema = "create table t (id bigint primary key); create sequence seq"

// both holds the model and a server of their own, without any program.
type both struct {
	t     *testing.T
	c     *pgcluster.Cluster
	conns map[string]*conn
	m     *model
}

func newBoth(t *testing.T, opts pgcluster.Options) *both {
	t.Helper()
	in := installed(t)
	c, err := pgcluster.Start(context.Background(), in, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	b := &both{t: t, c: c, conns: map[string]*conn{}, m: emptyModel(postgres.Options{})}
	if err := b.m.srv.Script(durabilitySchema); err != nil {
		t.Fatal(err)
	}
	b.real("A", durabilitySchema)
	return b
}

func (b *both) real(name, sql string) string {
	b.t.Helper()
	return ask(b.t, b.conns, b.c, name, sql)
}

// ask runs a statement of a session of a cluster to its end.
func ask(t *testing.T, conns map[string]*conn, c *pgcluster.Cluster, name, sql string) string {
	t.Helper()
	k := conns[name]
	if k == nil {
		var err error
		if k, err = dial(context.Background(), c.SocketDSN(), nil); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(k.close)
		conns[name] = k
	}
	if err := k.send(sql, nil); err != nil {
		t.Fatal(err)
	}
	if done, err := k.finished(stuck); !done || err != nil {
		t.Fatalf("%s: no answer, %v", sql, err)
	}
	return k.answer.Text
}

// same runs a statement on both, which must answer alike.
func (b *both) same(name, sql string) string {
	b.t.Helper()
	real := b.real(name, sql)
	task := b.m.task(name)
	b.m.start(task, Step{SQL: sql})
	if task.busy || task.answer.Text != real {
		b.t.Errorf("%s: %s\n  model:  %s\n  server: %s", name, sql, task.answer.Text, real)
	}
	return real
}

// crash ends both at once, as a power cut would, and starts them again.
func (b *both) crash() {
	b.t.Helper()
	b.c.Kill()
	if err := b.c.Restart(context.Background()); err != nil {
		b.t.Fatal(err)
	}
	b.m.srv.Crash()
	b.m.srv.Recover()
	b.conns, b.m.sessions = map[string]*conn{}, map[string]*task{}
}

func TestACrashKeepsWhatWasCommittedAndUndoesWhatWasNot(t *testing.T) {
	t.Parallel()
	b := newBoth(t, pgcluster.Options{})
	b.same("A", "insert into t values (1)")
	b.same("A", "select nextval('seq')")
	b.same("B", "begin")
	b.same("B", "insert into t values (2)")
	b.crash()
	if got := b.same("A", "select id from t order by id"); got != "(1) SELECT 1" {
		t.Error(got)
	}
	// The log covers 32 values more than were drawn; a crash skips them.
	if got := b.same("A", "select nextval('seq')"); got == "(2) SELECT 1" {
		t.Error("the crash skipped nothing")
	}
}

func TestACrashLosesCommitsMadeWithSynchronousCommitOff(t *testing.T) {
	t.Parallel()
	b := newBoth(t, pgcluster.Options{Settings: map[string]string{"wal_buffers": "4MB"}})
	b.same("A", "insert into t values (1)")
	// Whoever writes the log for those who do not wait for it is held.
	for _, pid := range b.c.PIDs() {
		name, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err == nil && strings.Contains(string(name), "walwriter") {
			unix.Kill(pid, unix.SIGSTOP)
		}
	}
	b.same("A", "set synchronous_commit = off")
	b.same("A", "insert into t values (2)")
	b.same("A", "insert into t values (3)")
	b.same("B", "select id from t order by id") // all three are acknowledged and seen
	b.crash()
	if got := b.same("A", "select id from t order by id"); got != "(1) SELECT 1" {
		t.Error(got)
	}
}

func TestACommitWhoseAnswerIsLostIsThere(t *testing.T) {
	t.Parallel()
	b := newBoth(t, pgcluster.Options{})
	b.same("A", "begin")
	b.same("A", "insert into t values (1)")
	if err := b.conns["A"].send("commit", nil); err != nil {
		t.Fatal(err)
	}
	b.conns["A"].file.Close() // without reading the answer
	b.m.onFlush = func(s *postgres.Session) { s.Close() }
	b.m.start(b.m.task("A"), Step{SQL: "commit"})
	b.m.onFlush = nil
	for end := time.Now().Add(stuck); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if b.real("B", "select id from t") == "(1) SELECT 1" {
			break
		}
	}
	if got := b.same("B", "select id from t"); got != "(1) SELECT 1" {
		t.Error(got)
	}
}

func TestAPromotedStandbyLacksWhatHadNotReachedIt(t *testing.T) {
	t.Parallel()
	wal := map[string]string{"wal_level": "replica", "wal_keep_size": "64MB", "wal_retrieve_retry_interval": "50ms"}
	b := newBoth(t, pgcluster.Options{Settings: wal})
	standby, err := pgcluster.Start(context.Background(), b.c.Install(), pgcluster.Options{Settings: wal, StandbyOf: b.c.DSN() + " gssencmode=disable"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(standby.Close)
	second := &both{t: t, c: standby, conns: map[string]*conn{}, m: emptyModel(postgres.Options{Standby: true})}
	if err := second.m.srv.Script(durabilitySchema); err != nil {
		t.Fatal(err)
	}

	b.same("A", "insert into t values (1)")
	for end := time.Now().Add(stuck); second.real("S", "select to_regclass('t') is not null") != "(t) SELECT 1" ||
		second.real("S", "select id from t") != "(1) SELECT 1"; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the standby does not follow")
		}
	}
	for _, c := range b.m.commits {
		second.m.srv.Apply(c)
	}
	second.same("S", "select id from t")
	second.same("S", "insert into t values (7)")
	second.same("S", "select id from t for update")

	// Cut the standby off, write at the primary, promote the standby.
	killWalReceiver(t, second)
	b.same("A", "insert into t values (2)")
	if got := second.real("X", "select pg_promote(true)"); got != "(t) SELECT 1" {
		t.Fatal(got)
	}
	second.m.srv.Promote()
	if got := second.same("S", "select id from t order by id"); got != "(1) SELECT 1" {
		t.Error(got)
	}
	second.same("S", "insert into t values (3)")
	b.same("A", "insert into t values (4)") // the old primary goes on serving
	b.same("A", "select id from t order by id")
	second.same("S", "select id from t order by id")
}

// killWalReceiver points the standby nowhere and waits until it receives no more.
func killWalReceiver(t *testing.T, b *both) {
	t.Helper()
	b.real("X", "alter system set primary_conninfo = 'host=127.0.0.1 port=1'")
	b.real("X", "select pg_reload_conf()")
	for end := time.Now().Add(stuck); b.real("X", "select count(*) from pg_stat_wal_receiver where status = 'streaming'") != "(0) SELECT 1"; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the standby keeps receiving")
		}
	}
}
