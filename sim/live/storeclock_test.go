package live

import (
	"context"
	"math"
	"path/filepath"
	"testing"
	"time"

	"dlsim/sim"
	"dlsim/sim/live/pgcluster"

	"github.com/jackc/pgx/v5"
)

func TestAStoreClockDriftsFromTheMomentItIsToldTo(t *testing.T) {
	c := &storeClock{file: filepath.Join(t.TempDir(), "clock")}
	for _, by := range []sim.ClockChange{{Step: 2 * time.Second}, {DriftPPM: 100_000}} {
		if err := c.change(by); err != nil {
			t.Fatal(err)
		}
	}
	if got := c.now(c.since.Add(10 * time.Second)); got < 2999*time.Millisecond || got > 3001*time.Millisecond {
		t.Errorf("two seconds fast, and ten seconds later at a rate of 1.1 it is %v fast", got)
	}
	if err := c.change(sim.ClockChange{DriftPPM: -100_000}); err != nil {
		t.Fatal(err)
	}
	healed := c.offset
	if got := c.now(c.since.Add(time.Hour)); got != healed {
		t.Errorf("it runs right again, and goes from %v to %v fast", healed, got)
	}
}

// PostgreSQL itself is asked what time it is.
func TestAClockOfPostgresStepsAndDriftsAndStaysWhereItGot(t *testing.T) {
	needPostgres(t)
	if FakeTime() == "" {
		t.Skip("SKIPPED: libfaketime is not installed")
	}
	in, err := pgcluster.Find()
	if err != nil {
		t.Fatal(err)
	}
	folder, err := runFolder()
	if err != nil {
		t.Fatal(err)
	}
	w := &World{folder: folder, options: Options{StoreClocks: true}}
	g, err := newGuard(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer g.end()
	d := &database{w: w, name: sim.Paydb}
	env, err := d.fakeClock()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if d.cluster, err = pgcluster.Start(ctx, in, pgcluster.Options{Env: env}); err != nil {
		t.Fatal(err)
	}
	defer d.cluster.Close()
	conn, err := pgx.Connect(ctx, d.cluster.SocketDSN())
	if err != nil {
		t.Fatal(err)
	}
	fast := func() float64 {
		var at time.Time
		if err := conn.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&at); err != nil {
			t.Fatal(err)
		}
		return time.Until(at).Seconds()
	}
	want := func(what string, seconds float64) {
		t.Helper()
		if got := fast(); math.Abs(got-seconds) > 0.25 {
			t.Errorf("%s: it is %.3f s fast, want %.3f", what, got, seconds)
		}
	}
	want("at first", 0)
	if _, err := d.setClock(sim.ClockChange{Step: -5 * time.Second}); err != nil {
		t.Fatal(err)
	}
	want("stepped back", -5)
	drift, err := d.setClock(sim.ClockChange{DriftPPM: 1_000_000})
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	for time.Since(begun) < 2*time.Second {
		time.Sleep(lookEvery)
		if err := d.clock.run(); err != nil {
			t.Fatal(err)
		}
	}
	drift.Heal()
	got := -5 + time.Since(begun).Seconds()
	want("at twice the rate for two seconds", got)
	time.Sleep(500 * time.Millisecond)
	want("at the right rate again", got)
}
