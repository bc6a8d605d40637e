package lock_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"dlsim/sim/testhost"
	"dlsim/sim/virtual/etcd"
	"dlsim/sim/virtual/postgres"
	"dlsim/system/host"
	"dlsim/system/lock"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// stand is an etcd whose clock moves when told, and a wire on which answers can be lost.
type stand struct {
	cluster *etcd.Cluster
	now     int64
	timers  []*alarm
	lose    func(req any) bool
}

type alarm struct {
	at int64
	f  func()
}

func newStand() *stand {
	s := &stand{now: 1}
	s.cluster = etcd.NewCluster(s, 1)
	return s
}

func (s *stand) Now() int64              { return s.now }
func (s *stand) Changed(etcd.Change)     {}
func (s *stand) Election() time.Duration { return time.Second }
func (s *stand) Lag(int) time.Duration   { return 0 }

func (s *stand) After(d time.Duration, f func()) func() {
	a := &alarm{s.now + int64(d), f}
	s.timers = append(s.timers, a)
	return func() { s.timers = slices.DeleteFunc(s.timers, func(b *alarm) bool { return a == b }) }
}

func (s *stand) advance(d time.Duration) {
	for end := s.now + int64(d); ; {
		i := -1
		for j, a := range s.timers {
			if a.at <= end && (i < 0 || a.at < s.timers[i].at) {
				i = j
			}
		}
		if i < 0 {
			s.now = end
			return
		}
		a := s.timers[i]
		s.timers = slices.Delete(s.timers, i, i+1)
		s.now = a.at
		a.f()
	}
}

func (s *stand) Call(_ context.Context, req any) (resp any, err error) {
	s.cluster.Handle(0, req, func(r any, e error) { resp, err = r, e })
	if s.lose != nil && s.lose(req) {
		return nil, status.Error(codes.Unavailable, "connection lost")
	}
	return resp, err
}

// lockdb is a PostgreSQL in memory with one session, no network and a clock that moves when told.
type lockdb struct {
	server *postgres.Server
	now    int64
}

func newLockdb(t *testing.T) *lockdb {
	d := &lockdb{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()}
	d.server = postgres.NewServer(d, postgres.Options{})
	if err := d.server.Script(lock.Schema); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *lockdb) Now() int64                         { return d.now }
func (d *lockdb) Wait(*postgres.Session)             { panic("a statement waits") }
func (d *lockdb) Wake(*postgres.Session)             {}
func (d *lockdb) After(time.Duration, func()) func() { return func() {} }
func (d *lockdb) Flush(*postgres.Session)            {}
func (d *lockdb) Committed(*postgres.Commit)         {}

func (d *lockdb) Dial(context.Context) (postgres.Conn, error) {
	s, err := d.server.Connect()
	return session{s}, err
}

func (d *lockdb) Acquire(context.Context) error { return nil }
func (d *lockdb) Release()                      {}

type session struct{ *postgres.Session }

func (s session) Exec(_ context.Context, sql string, args []any) (*postgres.Result, error) {
	return s.Session.Exec(sql, args)
}
func (s session) Dead() bool { return false }

// backends are the implementations with a way to let time pass for each.
func backends(t *testing.T) map[string]func() (lock.Backend, func(time.Duration)) {
	return map[string]func() (lock.Backend, func(time.Duration)){
		"etcd": func() (lock.Backend, func(time.Duration)) {
			s := newStand()
			h := testhost.New().Host("lockd-1")
			h.KV, h.Lease = etcd.NewKV(s), etcd.NewLease(s)
			return lock.NewEtcd(h, time.Second), s.advance
		},
		"postgres": func() (lock.Backend, func(time.Duration)) {
			d := newLockdb(t)
			return lock.NewPostgres(postgres.NewPool(d, d)), func(t time.Duration) { d.now += int64(t) }
		},
		"memory": func() (lock.Backend, func(time.Duration)) {
			h := testhost.New().Host("lockd-1")
			return newMemory(h), h.Push
		},
	}
}

func TestEveryBackendGrantsOneHolderAtATimeWithRisingTokens(t *testing.T) {
	ctx := context.Background()
	for name, make := range backends(t) {
		t.Run(name, func(t *testing.T) {
			b, pass := make()
			first, err := b.Acquire(ctx, "a", "x", 5*time.Second)
			if err != nil || first.Token <= 0 || first.TTL < 5*time.Second {
				t.Fatal(first, err)
			}
			if _, err := b.Acquire(ctx, "a", "x", 5*time.Second); !errors.Is(err, lock.ErrHeld) {
				t.Error("the same owner got it twice:", err)
			}
			if g, err := b.Acquire(ctx, "b", "y", 5*time.Second); err != nil || g.Owner != "y" {
				t.Error("another key was not free:", err)
			}
			if g, err := b.Holder(ctx, "a"); err != nil || g.Owner != "x" || g.Token != first.Token {
				t.Error("holder:", g, err)
			}
			pass(4 * time.Second)
			if _, err := b.Renew(ctx, "a", "x", first.Token); err != nil {
				t.Error("renew:", err)
			}
			pass(4 * time.Second)
			if _, err := b.Acquire(ctx, "a", "y", 5*time.Second); !errors.Is(err, lock.ErrHeld) {
				t.Error("renewal did not count:", err)
			}
			pass(3 * time.Second)
			second, err := b.Acquire(ctx, "a", "y", 5*time.Second)
			if err != nil || second.Token <= first.Token {
				t.Fatal("after expiry:", second, err)
			}
			for what, err := range map[string]error{
				"release of an old grant":      b.Release(ctx, "a", "x", first.Token),
				"release by another owner":     b.Release(ctx, "a", "x", second.Token),
				"renewal of an old grant":      renewed(b.Renew(ctx, "a", "x", first.Token)),
				"renewal by another owner":     renewed(b.Renew(ctx, "a", "x", second.Token)),
				"release of what nobody holds": b.Release(ctx, "c", "x", 1),
			} {
				if !errors.Is(err, lock.ErrLost) {
					t.Errorf("%s: %v", what, err)
				}
			}
			if err := b.Release(ctx, "a", "y", second.Token); err != nil {
				t.Error("release:", err)
			}
			if g, err := b.Holder(ctx, "a"); err != nil || g.Token != 0 {
				t.Error("holder after release:", g, err)
			}
			third, err := b.Acquire(ctx, "a", "x", 5*time.Second)
			if err != nil || third.Token <= second.Token {
				t.Error("after release:", third, err)
			}
		})
	}
}

func renewed(_ lock.Grant, err error) error { return err }

func TestEtcdRoundsATTLUpToWholeSeconds(t *testing.T) {
	s := newStand()
	h := testhost.New().Host("lockd-1")
	h.KV, h.Lease = etcd.NewKV(s), etcd.NewLease(s)
	g, err := lock.NewEtcd(h, time.Second).Acquire(context.Background(), "a", "x", 4001*time.Millisecond)
	if err != nil || g.TTL != 5*time.Second {
		t.Error(g.TTL, err)
	}
}

func TestEtcdGivesBackALockWhoseTokenNobodyLearned(t *testing.T) {
	s := newStand()
	h := testhost.New().Host("lockd-1")
	h.KV, h.Lease = etcd.NewKV(s), etcd.NewLease(s)
	b := lock.NewEtcd(h, time.Second)
	calls := 0
	s.lose = func(any) bool { calls++; return calls == 3 } // read, grant, then the transaction
	if _, err := b.Acquire(context.Background(), "a", "x", 5*time.Second); err == nil || errors.Is(err, lock.ErrNoEffect) {
		t.Fatal("a lost answer is neither success nor proof of nothing:", err)
	}
	if _, err := b.Acquire(context.Background(), "a", "y", 5*time.Second); err != nil {
		t.Error("the lock is still held:", err)
	}
}

// broken is a database whose every statement fails the same way.
type broken struct {
	host.DB
	err error
}

func (b broken) QueryRow(context.Context, string, ...any) pgx.Row { return failed{b.err} }

type failed struct{ err error }

func (f failed) Scan(...any) error { return f.err }

func TestLockdbsSilenceIsNotProofThatNothingWasGranted(t *testing.T) {
	for _, c := range []struct {
		err      error
		noEffect bool
	}{
		{io.ErrUnexpectedEOF, false},
		{&pgconn.PgError{Severity: "FATAL", Code: "57P01"}, false},
		{&pgconn.PgError{Severity: "ERROR", Code: "55P03"}, true},
		{&pgconn.ConnectError{}, true},
	} {
		_, err := lock.NewPostgres(broken{err: c.err}).Acquire(context.Background(), "a", "x", time.Second)
		if err == nil || errors.Is(err, lock.ErrHeld) || errors.Is(err, lock.ErrNoEffect) != c.noEffect {
			t.Errorf("%v: %v", c.err, err)
		}
	}
}

func TestAFreedRowIsFreeWhateverTheClockSays(t *testing.T) {
	ctx := context.Background()
	d := newLockdb(t)
	b := lock.NewPostgres(postgres.NewPool(d, d))
	g, err := b.Acquire(ctx, "a", "x", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Release(ctx, "a", "x", g.Token); err != nil {
		t.Fatal(err)
	}
	d.now -= int64(time.Hour) // the database's clock is put back
	if next, err := b.Acquire(ctx, "a", "y", time.Second); err != nil || next.Token != g.Token+1 {
		t.Error(next, err)
	}
}
