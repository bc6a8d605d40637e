package link_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"dlsim/sim"
	"dlsim/sim/live/link"
	"dlsim/sim/live/pgcluster"
)

// database is a cluster, a connection to it that no link can cut, and the link.
type database struct {
	direct    *pgx.Conn
	dsn       string
	cancelled chan struct{} // one for each cancel that the server has answered
}

func newDatabase(t *testing.T, m *link.Mesh) *database {
	t.Helper()
	in, err := pgcluster.Find()
	var missing *pgcluster.NotFoundError
	if errors.As(err, &missing) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := pgcluster.Start(ctx, in, pgcluster.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	direct, err := pgx.Connect(ctx, c.SocketDSN())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = direct.Close(context.Background()) })
	if _, err := direct.Exec(ctx, "CREATE TABLE paid (n int)"); err != nil {
		t.Fatal(err)
	}
	config, err := pgx.ParseConfig(c.DSN())
	if err != nil {
		t.Fatal(err)
	}
	addr := pair(t, m, "proxy-1", "paydb", fmt.Sprintf("127.0.0.1:%d", c.Port()))
	return &database{direct: direct, cancelled: make(chan struct{}, 100), dsn: fmt.Sprintf("postgres://%s@%s/%s?sslmode=disable", config.User, addr, config.Database)}
}

func (d *database) connect(t *testing.T) *pgx.Conn {
	t.Helper()
	config, err := pgx.ParseConfig(d.dsn)
	if err != nil {
		t.Fatal(err)
	}
	dial, first := config.DialFunc, true
	config.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dial(ctx, network, addr)
		if first || err != nil {
			first = false
			return c, err
		}
		return &cancelling{Conn: c, done: d.cancelled}, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_ = c.Close(ctx)
	})
	return c
}

// cancelling is the connection on which a cancel travels. The server closes it once it has acted.
type cancelling struct {
	net.Conn
	done chan<- struct{}
}

func (c *cancelling) Close() error {
	select {
	case c.done <- struct{}{}:
	default:
	}
	return c.Conn.Close()
}

// rows counts what has been paid under a number, by the connection that no link cuts.
func (d *database) rows(t *testing.T, n int) int {
	t.Helper()
	var k int
	if err := d.direct.QueryRow(context.Background(), "SELECT count(*) FROM paid WHERE n = $1", n).Scan(&k); err != nil {
		t.Fatal(err)
	}
	return k
}

func (d *database) await(t *testing.T, n int) {
	t.Helper()
	for end := time.Now().Add(patience); d.rows(t, n) == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the statement was not executed")
		}
	}
}

// gone is how pgx tells of a connection that broke: for statements without arguments in words of its
// own, behind which the cause is lost.
func gone(err error) bool { return broke(err) || err != nil && err.Error() == "conn closed" }

// What each condition does to a statement with arguments, to one without, and to a COMMIT.
func TestAConditionMeetsAStatement(t *testing.T) {
	m := newMesh(t, link.Options{})
	d := newDatabase(t, m)
	paydb := sim.Link{From: "proxy-1", To: "paydb"}
	n := 0
	statements := []struct {
		name string
		prep func(ctx context.Context, c *pgx.Conn, n int) error
		exec func(ctx context.Context, c *pgx.Conn, n int) error
	}{
		{"a prepared insert",
			func(ctx context.Context, c *pgx.Conn, n int) error {
				_, err := c.Prepare(ctx, "pay", "INSERT INTO paid SELECT $1::int")
				return err
			},
			func(ctx context.Context, c *pgx.Conn, n int) error {
				_, err := c.Exec(ctx, "pay", n)
				return err
			}},
		{"a COMMIT",
			func(ctx context.Context, c *pgx.Conn, n int) error {
				_, err := c.PgConn().Exec(ctx, fmt.Sprintf("BEGIN; INSERT INTO paid VALUES (%d)", n)).ReadAll()
				return err
			},
			func(ctx context.Context, c *pgx.Conn, n int) error {
				_, err := c.Exec(ctx, "COMMIT")
				return err
			}},
	}
	for _, tc := range []struct {
		name     string
		c        sim.LinkCondition
		short    bool // the deadline
		executed bool // before the heal
		late     bool // after it
		seen     func(error) bool
	}{
		// The request alone is held: pgx sends a cancel behind it, which would race with it at the heal.
		{"held request", sim.LinkCondition{Mode: sim.Hold, Requests: true, Count: 1}, true, false, true, timedOut},
		{"held reply", sim.LinkCondition{Mode: sim.Hold, Replies: true}, true, true, false, timedOut},
		{"dropped request", sim.LinkCondition{Mode: sim.Drop, Requests: true}, true, false, false, timedOut},
		{"dropped reply", sim.LinkCondition{Mode: sim.Drop, Replies: true, Count: 1}, true, true, false, timedOut},
		{"slow both ways", sim.LinkCondition{Mode: sim.Slow, Extra: 10 * time.Millisecond}, false, true, false, nil},
		{"reset request", sim.LinkCondition{Mode: sim.Reset, Requests: true}, false, false, false, gone},
		{"reset reply", sim.LinkCondition{Mode: sim.Reset, Replies: true, Count: 1}, false, true, false, gone},
	} {
		for _, s := range statements {
			t.Run(tc.name+" of "+s.name, func(t *testing.T) {
				n++
				c := d.connect(t)
				if err := s.prep(context.Background(), c, n); err != nil {
					t.Fatal(err)
				}
				for len(d.cancelled) > 0 {
					<-d.cancelled
				}
				e := apply(t, m, paydb, tc.c)
				t.Cleanup(e.Heal)
				deadline := patience
				if tc.short {
					deadline = 100 * time.Millisecond
				}
				ctx, cancel := context.WithTimeout(context.Background(), deadline)
				defer cancel()
				err := s.exec(ctx, c, n)
				if tc.seen == nil && err != nil || tc.seen != nil && !tc.seen(err) {
					t.Errorf("client: %v", err)
				}
				if err != nil && pgconn.SafeToRetry(err) {
					t.Errorf("%v: called safe to retry", err)
				}
				felt(t, e, 1)
				if tc.executed {
					d.await(t, n)
				} else if k := d.rows(t, n); k != 0 {
					t.Errorf("%d rows before the heal", k)
				}
				if tc.late {
					select {
					case <-d.cancelled:
					case <-time.After(patience):
						t.Fatal("the cancel has not been answered")
					}
				}
				e.Heal()
				if tc.late {
					d.await(t, n)
				}
				want := 0
				if tc.executed || tc.late {
					want = 1
				}
				if k := d.rows(t, n); k != want {
					t.Errorf("%d rows, want %d", k, want)
				}
				var one int
				if err := d.connect(t).QueryRow(context.Background(), "SELECT 1").Scan(&one); err != nil {
					t.Errorf("after the heal: %v", err)
				}
			})
		}
	}
	t.Run("a stopped server refuses", func(t *testing.T) {
		c := d.connect(t)
		m.Stop("paydb")
		if _, err := c.Exec(context.Background(), "SELECT 1"); err == nil {
			t.Error("an answer came over a stopped link")
		}
		if _, err := pgx.Connect(context.Background(), d.dsn); !refused(err) {
			t.Errorf("%v, want a refusal", err)
		}
	})
}
