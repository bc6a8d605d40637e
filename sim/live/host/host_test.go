package host

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dlsim/sim/live/control"
	"dlsim/sim/virtual/sched"
)

func TestAStepMovesTheWallClockAndNotTheMonotonicOne(t *testing.T) {
	c := newClock(control.Clock{})
	wall, mono := c.wall(), c.monotonic()
	c.set(control.Clock{Offset: -time.Hour})
	if d := c.wall().Sub(wall); d > -time.Hour+time.Second || d < -time.Hour {
		t.Errorf("the wall clock moved by %v", d)
	}
	if d := c.monotonic() - mono; d < 0 || d > time.Second {
		t.Errorf("the monotonic clock moved by %v", d)
	}
	if c.reads.Load() != 4 {
		t.Errorf("%d reads were counted, want 4", c.reads.Load())
	}
}

func TestADriftingClockRunsFastAndWaitsShort(t *testing.T) {
	c := newClock(control.Clock{DriftPPM: 500_000})
	before, begun := c.monotonic(), time.Now()
	time.Sleep(20 * time.Millisecond)
	d, real := c.monotonic()-before, time.Since(begun)
	if d < 29*time.Millisecond || d > real*3/2+time.Millisecond {
		t.Errorf("%v passed on a clock that runs half as fast again, in %v", d, real)
	}
	if got := c.trueTime(3 * time.Second); got != 2*time.Second {
		t.Errorf("three seconds of it take %v", got)
	}
}

func TestAContextEndsByTheClockAndNamesNoDeadline(t *testing.T) {
	c := newClock(control.Clock{})
	ctx, cancel := c.withTimeout(context.Background(), 5*time.Millisecond)
	defer cancel()
	if _, told := ctx.Deadline(); told {
		t.Error("it names a deadline")
	}
	inner, cancelInner := context.WithCancel(ctx)
	defer cancelInner()
	<-inner.Done()
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		t.Errorf("it ended with %v", ctx.Err())
	}
	given, giveUp := c.withTimeout(context.Background(), time.Hour)
	giveUp()
	if !errors.Is(given.Err(), context.Canceled) {
		t.Errorf("a context that was given up ended with %v", given.Err())
	}
	if now, _ := c.withTimeout(context.Background(), 0); !errors.Is(now.Err(), context.DeadlineExceeded) {
		t.Errorf("a context without time ended with %v", now.Err())
	}
}

func TestATornRecordIsNoRecord(t *testing.T) {
	dir := t.TempDir()
	l, err := openLog(dir, "book")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []string{"one", "", "two\nlines"} {
		if err := l.Append([]byte(r)); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.OpenFile(filepath.Join(dir, "book.log"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("aGFs"); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if l, err = openLog(dir, "book"); err != nil {
		t.Fatal(err)
	}
	if err := l.Append([]byte("three")); err != nil {
		t.Fatal(err)
	}
	records, err := l.Records()
	var got []string
	for _, r := range records {
		got = append(got, string(r))
	}
	if want := "one||two\nlines|three"; err != nil || strings.Join(got, "|") != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	if _, err := openLog(dir, "../book"); err == nil {
		t.Error("a log outside the process's folder was opened")
	}
}

// A server that closes the connection without an answer is where an HTTP client that keeps
// connections tries again.
func TestARequestIsSentOnceWhateverBecomesOfIt(t *testing.T) {
	var arrived atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if arrived.Add(1) == 1 {
			return
		}
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			conn.Close()
		}
	}))
	defer s.Close()
	client := http.Client{Transport: newTransport(map[string]string{"proxy-1": s.Listener.Addr().String()})}
	for range 2 {
		if r, err := client.Get("http://proxy-1/"); err == nil {
			r.Body.Close()
		}
	}
	if n := arrived.Load(); n != 2 {
		t.Errorf("two requests arrived %d times", n)
	}
	var unknown *net.DNSError
	if _, err := client.Get("http://proxy-2/"); !errors.As(err, &unknown) {
		t.Errorf("a process that is not there: %v", err)
	}
}

// The system's requests share their headers.
func TestTheTransportLeavesARequestsHeaderAlone(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer s.Close()
	transport := newTransport(map[string]string{"proxy-1": s.Listener.Addr().String()})
	for _, header := range []http.Header{{}, {"Content-Type": {"application/json"}}} {
		r, err := http.NewRequest(http.MethodPost, "http://proxy-1/", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = header
		before := fmt.Sprint(header)
		answer, err := transport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if after := fmt.Sprint(header); after != before {
			t.Errorf("header %s became %s", before, after)
		}
	}
}

func TestDrawsDependOnSeedNamePurposeAndStart(t *testing.T) {
	draw := func(seed uint64, name string, generation int64, purpose string, n int) (draws [4]uint64) {
		h := &Host{setup: &control.Setup{Seed: seed, Name: name, Generation: generation}, drawn: map[string]uint64{}}
		for range n {
			h.Uint64n("another", 2)
		}
		for i := range draws {
			draws[i] = h.Uint64n(purpose, 1<<60)
		}
		return draws
	}
	first := draw(1, "proxy-1", 1, "boot", 0)
	for i := range first {
		place := sched.Mix(sched.Place("proxy-1"), sched.Place("boot"))
		if want := sched.Keyed(1).Pick(sched.System, place, uint64(i), 1<<60); first[i] != want {
			t.Errorf("draw %d is %d, in the virtual world %d", i, first[i], want)
		}
	}
	if again := draw(1, "proxy-1", 1, "boot", 5); again != first {
		t.Error("draws for another purpose moved them")
	}
	for what, other := range map[string][4]uint64{
		"seed": draw(2, "proxy-1", 1, "boot", 0), "process": draw(1, "proxy-2", 1, "boot", 0),
		"start": draw(1, "proxy-1", 2, "boot", 0), "purpose": draw(1, "proxy-1", 1, "pick", 0),
	} {
		if other == first {
			t.Errorf("another %s draws the same", what)
		}
	}
}

func TestTheNewestInstructionIsObeyedAndCounted(t *testing.T) {
	h := &Host{orders: control.Orders{{ID: 2, Name: "rail", Value: "decline"}, {ID: 1, Name: "rail", Value: "timeout"}}, obeyed: map[int64]int64{}}
	if got := h.Directive("rail"); got != "decline" {
		t.Errorf("obeyed %q", got)
	}
	if h.Directive("other") != "" || h.obeyed[2] != 1 || h.obeyed[1] != 0 {
		t.Errorf("counted %v", h.obeyed)
	}
}
