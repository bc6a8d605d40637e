package live

import (
	"errors"
	"testing"

	"dlsim/history"
	"dlsim/sim"
	"dlsim/sim/live/pgcluster"
	"dlsim/system/config"

	"github.com/jackc/pgx/v5"
)

func TestAServerOfTheUsersIsUsedAndLeftAsItWas(t *testing.T) {
	needPostgres(t)
	in, err := pgcluster.Find()
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := pgcluster.Start(t.Context(), in, pgcluster.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(theirs.Close)
	// One schema whose harness is gone, and one whose harness lives.
	other, err := pgx.Connect(t.Context(), theirs.DSN())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close(t.Context())
	for _, sql := range []string{
		"CREATE SCHEMA dlsim_17_abcdefgh; CREATE TABLE dlsim_17_abcdefgh.left_over (id int)",
		"CREATE SCHEMA dlsim_18_abcdefgh", "CREATE SCHEMA dlsim_mine", "SELECT pg_advisory_lock(hashtextextended('dlsim_18_abcdefgh', 0))",
	} {
		if _, err := other.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	o := calm(config.BackendPostgres)
	o.DSN = map[string]string{sim.Paydb: theirs.DSN(), sim.Lockdb: theirs.DSN()}
	w, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	w.Record(history.Event{Process: "nemesis", Kind: history.Info, Op: history.AllHealed})
	var unsupported *UnsupportedError
	if _, err := w.Store(sim.Paydb, sim.StoreAct{Kind: sim.Crash}); !errors.As(err, &unsupported) {
		t.Errorf("a crash of the user's server: %v", err)
	}
	killed := 0
	w.Observe(func(e *history.Event) {
		if killed > 0 || e.Op != history.PayoutClaim || e.Kind != history.OK {
			return
		}
		kill, err := w.Store(sim.Paydb, sim.StoreAct{Kind: sim.BackendKill, Target: e.Process})
		if err != nil {
			t.Error(err)
			return
		}
		killed = kill.Felt()
	})
	out := w.Run()
	if err := w.Err(); err != nil {
		t.Fatal(err)
	}
	posted := 0
	for _, e := range out.Events {
		if e.Op == history.PayoutWritten && e.State == "POSTED" {
			posted++
		}
	}
	if !out.Quiescent || posted != 6 || killed == 0 {
		t.Errorf("quiescent %t, %d of 6 posted, %d sessions killed", out.Quiescent, posted, killed)
	}
	c, err := pgx.Connect(t.Context(), theirs.DSN())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	var left string
	if err := c.QueryRow(t.Context(), `SELECT string_agg(nspname, ' ' ORDER BY nspname) FROM pg_namespace WHERE nspname LIKE 'dlsim%'`).Scan(&left); err != nil || left != "dlsim_18_abcdefgh dlsim_mine" {
		t.Errorf("schemas left: %s, %v", left, err)
	}
}
