package journal_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"dlsim/docs/journal"
	"dlsim/history"
	"dlsim/system/host"
	"dlsim/system/lock"
)

// machine is as much of a host as the journal asks for. Whatever else it asked for would panic.
type machine struct {
	host.Host
	clock time.Duration
	disk  disk
	told  []history.Op
}

func (m *machine) Monotonic() time.Duration     { return m.clock }
func (m *machine) Now() time.Time               { return time.Unix(0, int64(m.clock)).UTC() }
func (m *machine) NewMutex() host.Mutex         { return &sync.Mutex{} }
func (m *machine) Log(string) (host.Log, error) { return &m.disk, nil }
func (m *machine) Record(e history.Event) int64 {
	m.told = append(m.told, e.Op)
	return int64(len(m.told))
}
func (m *machine) open(t *testing.T) *journal.Backend {
	t.Helper()
	b, err := journal.Open(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// disk keeps records; broken has it keep the next one and report a failure.
type disk struct {
	records [][]byte
	broken  bool
}

var errDisk = errors.New("input/output error")

func (d *disk) Append(record []byte) error {
	d.records = append(d.records, slices.Clone(record))
	if d.broken {
		d.broken = false
		return errDisk
	}
	return nil
}

func (d *disk) Records() ([][]byte, error) { return d.records, nil }

const ttl = 5 * time.Second

func acquire(t *testing.T, b lock.Backend, owner string, token int64) {
	t.Helper()
	g, err := b.Acquire(context.Background(), "acc-1", owner, ttl)
	if err != nil || g.Token != token || g.Owner != owner || g.TTL != ttl {
		t.Fatalf("%s acquires: %+v, %v; want token %d", owner, g, err, token)
	}
}

func wantHeld(t *testing.T, b lock.Backend) {
	t.Helper()
	if g, err := b.Acquire(context.Background(), "acc-1", "late", ttl); !errors.Is(err, lock.ErrHeld) {
		t.Fatalf("acquired what is held: %+v, %v", g, err)
	}
}

func TestALockIsHeldUntilReleasedOrExpired(t *testing.T) {
	m := &machine{}
	b := m.open(t)
	acquire(t, b, "one", 1)
	wantHeld(t, b)
	if err := b.Release(context.Background(), "acc-1", "two", 1); !errors.Is(err, lock.ErrLost) {
		t.Errorf("released by a stranger: %v", err)
	}
	if err := b.Release(context.Background(), "acc-1", "one", 1); err != nil {
		t.Errorf("release: %v", err)
	}
	acquire(t, b, "two", 2)
	m.clock += ttl - 1
	wantHeld(t, b)
	m.clock++
	acquire(t, b, "three", 3)
	if _, err := b.Renew(context.Background(), "acc-1", "two", 2); !errors.Is(err, lock.ErrLost) {
		t.Errorf("renewed a lease that had run out: %v", err)
	}
	want := []history.Op{history.LockGranted, history.LockReleased, history.LockGranted, history.LockExpired, history.LockGranted}
	if !slices.Equal(m.told, want) {
		t.Errorf("told %v, want %v", m.told, want)
	}
}

func TestARenewedLeaseCountsFromTheRenewal(t *testing.T) {
	m := &machine{}
	b := m.open(t)
	acquire(t, b, "one", 1)
	m.clock += ttl - 1
	if g, err := b.Renew(context.Background(), "acc-1", "one", 1); err != nil || g.Token != 1 {
		t.Fatalf("renew: %+v, %v", g, err)
	}
	m.clock += ttl - 1
	wantHeld(t, b)
	if g, err := b.Holder(context.Background(), "acc-1"); err != nil || g.Owner != "one" || !g.Expires.Equal(m.Now().Add(1)) {
		t.Errorf("holder: %+v, %v", g, err)
	}
}

func TestARestartForgetsNoTokenAndShortensNoLease(t *testing.T) {
	m := &machine{}
	acquire(t, m.open(t), "one", 1)
	m.clock = 99 * time.Hour // another life, another monotonic clock
	b := m.open(t)
	m.clock += ttl - 1
	wantHeld(t, b)
	m.clock++
	acquire(t, b, "two", 2)
}

func TestAFailedAppendSpendsItsToken(t *testing.T) {
	m := &machine{}
	b := m.open(t)
	m.disk.broken = true
	_, err := b.Acquire(context.Background(), "acc-1", "one", ttl)
	if !errors.Is(err, errDisk) || errors.Is(err, lock.ErrNoEffect) {
		t.Fatalf("an append of unknown outcome gave %v", err)
	}
	acquire(t, b, "two", 2)
	acquireAfterRestart := m.open(t)
	wantHeld(t, acquireAfterRestart)
	m.clock += ttl
	acquire(t, acquireAfterRestart, "three", 3)
}
