package lock_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"dlsim/sim/testhost"
	"dlsim/sim/virtual/etcd"
	"dlsim/system/config"
	"dlsim/system/lock"
)

func backend(t *testing.T, change func(*config.Lock), steps ...testhost.Step) (lock.Backend, *testhost.Host) {
	h := testhost.New().Host("lockd-1")
	h.Databases["lockdb"] = testhost.NewScript(t, steps...)
	cfg := config.Defaults().Lock
	cfg.Backend = config.BackendPostgres
	change(&cfg)
	b, err := lock.NewBackend(h, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return b, h
}

func TestTheRejectedWaysOfALockDatabase(t *testing.T) {
	ctx := context.Background()
	acquire := func(b lock.Backend) error {
		_, err := b.Acquire(ctx, "a-1", "executor-1", 5*time.Second)
		return err
	}
	release := func(b lock.Backend) error { return b.Release(ctx, "a-1", "executor-1", 5) }
	for _, c := range []struct {
		what   string
		change func(*config.Lock)
		do     func(lock.Backend) error
		steps  []testhost.Step
		err    error
	}{
		{"the design keeps the row", func(*config.Lock) {}, release, []testhost.Step{{SQL: "UPDATE lock_grant SET owner = ''", Affected: 1}}, nil},
		{"delete takes it away", func(l *config.Lock) { l.Release = config.ReleaseDelete }, release, []testhost.Step{{SQL: "DELETE FROM lock_grant", Affected: 1}}, nil},
		{"by name asks for no token", func(l *config.Lock) { l.Release = config.ReleaseByName }, release,
			[]testhost.Step{{SQL: "expires_at = clock_timestamp() WHERE lock_key = $1", Affected: 1}}, nil},
		{"the contender's clock judges", func(l *config.Lock) { l.Expiry = config.ExpiryClientClock }, acquire, []testhost.Step{{SQL: "$4::timestamptz"}}, lock.ErrHeld},
		{"tokens of the clock", func(l *config.Lock) { l.Tokens = config.TokensClock }, acquire, []testhost.Step{{SQL: "token = EXCLUDED.token"}}, lock.ErrHeld},
		{"unflushed, and held", func(l *config.Lock) { l.Tokens = config.TokensSequence }, acquire,
			[]testhost.Step{{SQL: "begin"}, {SQL: "synchronous_commit = off"}, {SQL: "INSERT INTO lock_grant"}}, lock.ErrHeld},
	} {
		b, _ := backend(t, c.change, c.steps...)
		if err := c.do(b); !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

func TestALockOfNoBackendCannotBeMade(t *testing.T) {
	cfg := config.Defaults().Lock
	cfg.Backend = "zookeeper"
	if _, err := lock.NewBackend(testhost.New().Host("lockd-1"), cfg); err == nil {
		t.Error("it was made")
	}
}

func TestAnEtcdReleaseByNameTakesTheKeyFromWhoeverHasIt(t *testing.T) {
	s := newStand()
	h := testhost.New().Host("lockd-1")
	h.KV, h.Lease = etcd.NewKV(s), etcd.NewLease(s)
	cfg := config.Defaults().Lock
	cfg.Release = config.ReleaseByName
	b, err := lock.NewBackend(h, cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	g, err := b.Acquire(ctx, "a-1", "executor-1", 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Release(ctx, "a-1", "executor-2", g.Token+1); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Acquire(ctx, "a-1", "executor-3", 5*time.Second); err != nil {
		t.Errorf("still held: %v", err)
	}
}
