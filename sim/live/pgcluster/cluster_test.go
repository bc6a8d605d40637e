package pgcluster

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// install skips the test where there is no PostgreSQL, except in CI, which has one.
func install(t *testing.T) Install {
	t.Helper()
	in, err := Find()
	var missing *NotFoundError
	if errors.As(err, &missing) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func start(t *testing.T, opts Options) *Cluster {
	t.Helper()
	c, err := Start(context.Background(), install(t), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func ask(t *testing.T, dsn, sql string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	results, err := conn.PgConn().Exec(ctx, sql).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if last := results[len(results)-1]; len(last.Rows) > 0 {
		return string(last.Rows[0][0])
	}
	return ""
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not so after 10 s: %s", what)
		}
	}
}

func TestAClusterServesBothWaysAndKeepsItsDataOverStopAndKill(t *testing.T) {
	c := start(t, Options{})
	ask(t, c.DSN(), "create table t (n int); insert into t values (1)")
	if got := ask(t, c.SocketDSN(), "select count(*) from t"); got != "1" {
		t.Errorf("through the socket: %s rows", got)
	}
	pids := c.PIDs()
	if len(pids) < 3 {
		t.Errorf("processes %v", pids)
	}
	for _, end := range []func(){c.Stop, c.Kill} {
		end()
		if c.Running() || c.PID() != 0 {
			t.Fatal("still running")
		}
		if err := c.Restart(context.Background()); err != nil {
			t.Fatal(err)
		}
		if got := ask(t, c.DSN(), "select count(*) from t"); got != "1" {
			t.Errorf("after a restart: %s rows", got)
		}
	}
	root := filepath.Dir(c.Data())
	c.Close()
	c.Close()
	if _, err := os.Stat(root); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder stayed: %v", err)
	}
}

func TestAPausedClusterAnswersOnceItGoesOn(t *testing.T) {
	c := start(t, Options{})
	c.Pause()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := pgx.Connect(ctx, c.DSN()); err == nil {
		t.Error("a paused server took a connection")
	}
	c.Resume()
	ask(t, c.DSN(), "select 1")
}

func TestAPostmasterKilledFromOutsideTakesItsChildrenAlong(t *testing.T) {
	c := start(t, Options{})
	conn, err := pgx.Connect(context.Background(), c.DSN())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	go conn.Exec(context.Background(), "select count(*) from generate_series(1, 100000000000)") // busy
	syscall.Kill(c.PID(), syscall.SIGKILL)
	eventually(t, "the cluster is down", func() bool { return !c.Running() })
	if err := c.Restart(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func TestAStandbyFollowsAndCanBePromoted(t *testing.T) {
	wal := map[string]string{"wal_level": "replica", "wal_keep_size": "64MB", "wal_retrieve_retry_interval": "50ms"}
	a := start(t, Options{Settings: wal})
	b := start(t, Options{Settings: wal, StandbyOf: a.DSN() + " gssencmode=disable"})
	ask(t, a.DSN(), "create table t (n int); insert into t values (7)")
	eventually(t, "the standby has the table", func() bool {
		return ask(t, b.DSN(), "select count(*) from pg_class where relname = 't'") == "1" && ask(t, b.DSN(), "select count(*) from t") == "1"
	})
	a.Kill()
	if got := ask(t, b.DSN(), "select pg_promote(true)"); got != "t" {
		t.Errorf("promotion: %s", got)
	}
	ask(t, b.DSN(), "insert into t values (8)")
}

func TestAStartThatFailsShowsTheServersLogAndLeavesNothing(t *testing.T) {
	parent, err := os.MkdirTemp("", "dlsim-test-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(parent)
	if err := os.Chmod(parent, 0o755); err != nil {
		t.Fatal(err)
	}
	_, err = Start(context.Background(), install(t), Options{Parent: parent, Settings: map[string]string{"shared_buffers": "much"}})
	if err == nil || !strings.Contains(err.Error(), `invalid value for parameter "shared_buffers"`) {
		t.Errorf("error %v", err)
	}
	if left, _ := os.ReadDir(parent); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestALongParentFolderGetsItsSocketElsewhere(t *testing.T) {
	parent, err := os.MkdirTemp("", "dlsim-test-"+strings.Repeat("x", 90))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(parent) }) // after the cluster's own clean-up
	if err := os.Chmod(parent, 0o755); err != nil {
		t.Fatal(err)
	}
	c := start(t, Options{Parent: parent})
	ask(t, c.SocketDSN(), "select 1")
}

// TestNothingSurvivesAKilledParent runs this test binary as a parent that starts a cluster and
// waits, kills it, and looks for what it left.
func TestNothingSurvivesAKilledParent(t *testing.T) {
	install(t)
	for _, paused := range []string{"running", "paused"} {
		t.Run("the server is "+paused, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run", "^TestParentThatWaits$", "-test.v")
			cmd.Env = append(os.Environ(), "DLSIM_TEST_PARENT="+paused)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			var text strings.Builder
			buf := make([]byte, 4096)
			for !strings.Contains(text.String(), "END\n") {
				n, err := out.Read(buf)
				text.Write(buf[:n])
				if err != nil {
					t.Fatalf("%v after %q", err, text.String())
				}
			}
			cmd.Process.Kill()
			cmd.Wait()
			_, words, _ := strings.Cut(text.String(), "BEGIN ")
			words, _, _ = strings.Cut(words, " END")
			list := strings.Fields(words)
			for _, word := range list[1:] {
				pid, err := strconv.Atoi(word)
				if err != nil {
					t.Fatal(err)
				}
				eventually(t, "process "+word+" has gone", func() bool { return syscall.Kill(pid, 0) == syscall.ESRCH })
			}
			eventually(t, "the folder has gone", func() bool {
				_, err := os.Stat(filepath.Dir(list[0]))
				return errors.Is(err, os.ErrNotExist)
			})
		})
	}
}

// TestParentThatWaits is the parent of the test above; it has nothing to say by itself.
func TestParentThatWaits(t *testing.T) {
	how := os.Getenv("DLSIM_TEST_PARENT")
	if how == "" {
		t.Skip("only for TestNothingSurvivesAKilledParent")
	}
	c := start(t, Options{})
	pids := c.PIDs()
	if how == "paused" {
		c.Pause()
	}
	words := []string{"BEGIN", c.Data()}
	for _, pid := range pids {
		words = append(words, strconv.Itoa(pid))
	}
	os.Stdout.WriteString(strings.Join(append(words, "END"), " ") + "\n")
	time.Sleep(time.Minute)
}

func TestAMissingPostgreSQLIsATypedErrorThatSaysHowToGetIt(t *testing.T) {
	t.Setenv(BinVariable, t.TempDir())
	_, err := Find()
	var missing *NotFoundError
	if !errors.As(err, &missing) || !strings.HasPrefix(err.Error(), "no PostgreSQL found: ") || !strings.Contains(err.Error(), BinVariable) {
		t.Errorf("error %v", err)
	}
}
