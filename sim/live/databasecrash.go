package live

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dlsim/history"
	"dlsim/sim"

	"github.com/jackc/pgx/v5"
)

// hush holds back what the store answers and takes up what it has done, so that no client has heard
// of a commit that the history lacks.
func (d *database) hush() (release func(), err error) {
	held, err := d.w.mesh.Apply(sim.Link{From: "*", To: d.name}, sim.LinkCondition{Mode: sim.Hold, Replies: true})
	if err != nil {
		return nil, err
	}
	d.catchUp()
	return held.Release, nil
}

// crash kills every process of the server at once. Answers are held back first and the record read;
// what is held back then dies with its connection, which is the crash that a client sees. With loses
// the log is cut where it stood that long ago: a disk that had lied.
func (d *database) crash(loses time.Duration) (sim.Effect, error) {
	switch {
	case !d.cluster.Running() || d.control == nil:
		return nil, fmt.Errorf("%s is not running", d.name)
	case loses > 0 && d.standby:
		return nil, fmt.Errorf("%s has a standby, which has what the disk lost", d.name)
	case loses > d.log.keep:
		return nil, fmt.Errorf("a crash of %s that loses %v was not prepared for", d.name, loses)
	}
	sessions, err := d.exec(`SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND application_name <> 'dlsim'`)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.name, err)
	}
	release, err := d.hush()
	if err != nil {
		return nil, err
	}
	defer release()
	position, cut := d.log.before(time.Now().Add(-loses))
	var before rows
	if loses > 0 && cut {
		if before, err = d.snapshot(); err != nil {
			return nil, err
		}
	}
	d.disconnect()
	d.w.mesh.Stop(d.name)
	d.cluster.Kill()
	if before != nil {
		if err := d.cluster.CutLog(position); err != nil {
			return nil, fmt.Errorf("%s: %w", d.name, err)
		}
		d.log.points = nil
	}
	met := d.w.mesh.Messages(d.name)
	d.w.annotate(history.ProcessKilled, d.name)
	count := func() int { return sessions + int(d.w.mesh.Messages(d.name)-met) }
	return &effect{count: count, heal: func() {
		d.recover(before)
		if before != nil {
			d.finish() // what was lost is known to the history when the fault is over
		}
	}}, nil
}

// recover starts the server again, beside the loop: the rest of the world goes on. What it comes back
// without, as against the rows before, the history is told; nil is not looked at.
func (d *database) recover(before rows) {
	if d.under != nil || d.cluster.Running() {
		return
	}
	d.aside(func(ctx context.Context) (*pgx.Conn, error) {
		if err := d.cluster.Restart(ctx); err != nil {
			return nil, err
		}
		return d.connect(ctx)
	}, func() error { return d.serveAgain(before) })
}

// aside does work that ends in a new session with the server while the world goes on, then calls
// then on the loop.
func (d *database) aside(work func(ctx context.Context) (*pgx.Conn, error), then func() error) {
	var c *pgx.Conn
	var err error
	d.under = func() {
		d.under = nil
		d.control = c
		if err == nil {
			err = then()
		}
		if err != nil {
			d.w.fail(fmt.Errorf("%s: %w", d.name, err))
		}
	}
	d.w.beside(&d.coming, func() error {
		ctx, cancel := context.WithTimeout(d.w.ctx, startBound)
		defer cancel()
		c, err = work(ctx)
		return err
	}, func(error) { d.finish() })
}

// finish waits for what is under way beside the loop and draws its consequences.
func (d *database) finish() {
	d.coming.Wait()
	if d.under != nil {
		d.under()
	}
}

// serveAgain lets clients reach a server that has recovered.
func (d *database) serveAgain(before rows) error {
	if d.stalls == 0 { // the setting is in a file, and one may have been healed meanwhile
		if err := d.waitForStandby(""); err != nil {
			return err
		}
	}
	d.w.annotate(history.ProcessStarted, d.name)
	if before != nil {
		if _, err := d.tellLost(before, "crash"); err != nil {
			return err
		}
	}
	d.catchUp()
	return d.w.mesh.Start(d.name)
}

// snapshot takes up the record and reads every judged row, both as of one moment.
func (d *database) snapshot() (now rows, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), controlBound)
	defer cancel()
	if _, err := d.control.Exec(ctx, "BEGIN ISOLATION LEVEL REPEATABLE READ"); err != nil {
		return nil, fmt.Errorf("%s: %w", d.name, err)
	}
	d.catchUp()
	now, err = d.rows(ctx)
	_, ended := d.control.Exec(ctx, "COMMIT")
	return now, errors.Join(err, ended)
}
