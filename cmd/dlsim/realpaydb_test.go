package main

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"dlsim/sim/live/pgcluster"
)

func TestARealPaydbIsRefusedInOneLine(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv(pgcluster.BinVariable, t.TempDir())
	for _, c := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"without PostgreSQL", []string{"--paydb", "real"}, exitNoWorld, "no PostgreSQL found"},
		{"a paydb of another kind", []string{"--paydb", "mysql"}, exitUsage, `--paydb "mysql": there is model and real`},
		{"in the live world", []string{"--paydb", "real", "--world", "live"}, exitUsage, "the live world has a real one anyway"},
	} {
		code, stdout, stderr := cli(t, append([]string{"run", "fencing-off"}, c.args...)...)
		if code != c.code || !strings.Contains(stderr, c.says) || strings.Count(stderr, "\n") != 1 || stdout != "" {
			t.Errorf("%s: status %d\n%s%s", c.name, code, stdout, stderr)
		}
	}
}

func TestARunOnARealPaydbIsTheRunOnTheModel(t *testing.T) {
	var missing *pgcluster.NotFoundError
	if _, err := pgcluster.Find(); errors.As(err, &missing) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	t.Chdir(t.TempDir())
	var hashes []string
	for _, paydb := range []string{"model", "real"} {
		code, stdout, stderr := cli(t, "run", "fencing-off", "--json", "--paydb", paydb, "--out", paydb)
		var run struct{ Hash string }
		if err := json.Unmarshal([]byte(stdout), &run); err != nil || code != exitMet || run.Hash == "" {
			t.Fatalf("%s: status %d, %v\n%s", paydb, code, err, stderr)
		}
		hashes = append(hashes, run.Hash)
	}
	if hashes[0] != hashes[1] {
		t.Errorf("history %s on the model, %s on PostgreSQL", hashes[0], hashes[1])
	}
	if code, _, stderr := cli(t, "replay", "real"); code != exitMet {
		t.Errorf("the run on PostgreSQL does not replay: status %d %s", code, stderr)
	}
	if code, _, stderr := cli(t, "run", "paydb-failover", "--paydb", "real"); code != exitNoWorld || !strings.Contains(stderr, "cannot be struck by failover") {
		t.Errorf("a failover: status %d %s", code, stderr)
	}
}
