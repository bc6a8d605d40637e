package etcd

import (
	"slices"
	"time"
)

// bench is a world small enough for tests: a clock that moves when told, timers, and a record of
// what the cluster said it did.
type bench struct {
	now        int64
	timers     []*timer
	made       int
	changes    []Change
	onChange   func(Change)
	onElection func() time.Duration
	elections  time.Duration
	lags       map[int]time.Duration
	slow       int64 // the lease clock advances 1 ns less in so many; 0 is never
}

type timer struct {
	at   int64
	nth  int
	f    func()
	gone bool
}

const epoch = int64(7 * time.Second) // clocks start anywhere

func newBench() *bench {
	return &bench{elections: 1200 * time.Millisecond, lags: map[int]time.Duration{}}
}

func (b *bench) Now() int64 {
	if b.slow > 0 {
		return epoch + b.now - b.now/b.slow
	}
	return epoch + b.now
}

func (b *bench) After(d time.Duration, f func()) func() {
	if d <= 0 {
		panic("a timer that is due at once")
	}
	b.made++
	t := &timer{at: b.now + int64(d), nth: b.made, f: f}
	b.timers = append(b.timers, t)
	return func() { t.gone = true }
}

func (b *bench) Changed(c Change) {
	b.changes = append(b.changes, c)
	if b.onChange != nil {
		b.onChange(c)
	}
}

func (b *bench) Election() time.Duration {
	if b.onElection != nil {
		return b.onElection()
	}
	return b.elections
}

func (b *bench) Lag(node int) time.Duration { return b.lags[node] }

// advance runs the timers of the next d in order.
func (b *bench) advance(d time.Duration) {
	end := b.now + int64(d)
	for {
		b.timers = slices.DeleteFunc(b.timers, func(t *timer) bool { return t.gone })
		var next *timer
		for _, t := range b.timers {
			if t.at <= end && (next == nil || t.at < next.at || t.at == next.at && t.nth < next.nth) {
				next = t
			}
		}
		if next == nil {
			b.now = end
			return
		}
		b.now, next.gone = next.at, true
		next.f()
	}
}
