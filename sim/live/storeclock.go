package live

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"dlsim/sim"
)

// fakeTime are the places of the library that makes a program read another clock.
var fakeTime = []string{
	"/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
	"/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
	"/usr/lib/faketime/libfaketimeMT.so.1",
	"/usr/lib64/faketime/libfaketimeMT.so.1",
}

// FakeTime is the libfaketime of this machine, "" where there is none.
func FakeTime() string {
	for _, path := range fakeTime {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return ""
}

// storeClock is the clock of one database's server: a file that libfaketime reads at each look. A
// rate in that file would count from the server's start, and so jump when it is set; a clock that
// drifts is stepped instead, by little and often.
type storeClock struct {
	file   string
	offset time.Duration // as of since
	drift  int64         // parts per million
	since  time.Time     // when offset was right, while it drifts
}

// now is how wrong the clock has to be at a time.
func (c *storeClock) now(t time.Time) time.Duration {
	if c.drift == 0 {
		return c.offset
	}
	d := t.Sub(c.since)
	return c.offset + d/1e6*time.Duration(c.drift) + d%1e6*time.Duration(c.drift)/1e6
}

// run brings a drifting clock up to date.
func (c *storeClock) run() error {
	if c == nil || c.drift == 0 {
		return nil
	}
	return c.set(c.now(time.Now()))
}

// change steps the clock and changes its rate, from now on.
func (c *storeClock) change(by sim.ClockChange) error {
	now := time.Now()
	offset := c.now(now) + by.Step
	c.drift += by.DriftPPM
	return c.set(offset)
}

// fakeClock prepares a server's environment for a clock that can be set.
func (d *database) fakeClock() ([]string, error) {
	library := FakeTime()
	if library == "" || !d.w.options.StoreClocks {
		return nil, nil
	}
	d.clock = &storeClock{file: filepath.Join(d.w.folder, d.name+".clock")}
	if err := d.clock.set(0); err != nil {
		return nil, err
	}
	return []string{
		"LD_PRELOAD=" + library, "FAKETIME_TIMESTAMP_FILE=" + d.clock.file,
		"FAKETIME_NO_CACHE=1", "FAKETIME_DONT_FAKE_MONOTONIC=1",
	}, nil
}

// set makes the clock differ by offset from now on. The file is replaced whole, since it is read
// at any moment.
func (c *storeClock) set(offset time.Duration) error {
	text := fmt.Sprintf("%+.6f\n", offset.Seconds())
	if err := os.WriteFile(c.file+".new", []byte(text), 0o644); err != nil {
		return err
	}
	if err := os.Rename(c.file+".new", c.file); err != nil {
		return err
	}
	c.offset, c.since = offset, time.Now()
	return nil
}

// setClock steps the clock of the store's server, or has it drift until healed.
func (d *database) setClock(c sim.ClockChange) (sim.Effect, error) {
	what := "a wrong clock of " + d.name
	switch {
	case d.foreign != nil:
		return nil, &UnsupportedError{what, "its server is the user's, named by a DSN"}
	case FakeTime() == "":
		return nil, &UnsupportedError{what, "PostgreSQL reads the machine's clock, and libfaketime, which can stand between, is not installed (apt-get install libfaketime)"}
	case d.clock == nil:
		return nil, &UnsupportedError{what, "the server was started without libfaketime"}
	}
	if err := d.clock.change(c); err != nil {
		return nil, err
	}
	told := d.told
	count := func() int { return d.told - told }
	if c.DriftPPM == 0 {
		return &standing{count}, nil
	}
	return &effect{count: count, heal: func() {
		if err := d.clock.change(sim.ClockChange{DriftPPM: -c.DriftPPM}); err != nil {
			d.w.fail(err)
		}
	}}, nil
}

// sweepFakeTime removes the shared memory that libfaketime leaves of processes that are gone.
func sweepFakeTime() {
	for _, prefix := range []string{"/dev/shm/faketime_shm_", "/dev/shm/sem.faketime_sem_"} {
		left, _ := filepath.Glob(prefix + "*")
		for _, path := range left {
			pid, err := strconv.Atoi(strings.TrimPrefix(path, prefix))
			if err == nil && syscall.Kill(pid, 0) == syscall.ESRCH {
				_ = os.Remove(path)
			}
		}
	}
}
