package live

import (
	"time"
)

// logPoints is where a server's log stood when, for as far back as a crash may lose. It is kept only
// where one can.
type logPoints struct {
	keep   time.Duration // 0 keeps nothing
	points []logPoint
}

type logPoint struct {
	at       time.Time // not later than the position was read
	position int64     // pg_current_wal_insert_lsn
}

// add notes a position, and forgets those that are too old to be asked for.
func (l *logPoints) add(at time.Time, position int64) {
	if l.keep == 0 {
		return
	}
	// One second more: a strike can wait for its turn.
	for len(l.points) > 1 && at.Sub(l.points[1].at) > l.keep+time.Second {
		l.points = l.points[1:]
	}
	l.points = append(l.points, logPoint{at, position})
}

// before is where the log stood at a time, or as soon after it as anybody looked: a crash loses at
// most what it was asked for.
func (l *logPoints) before(t time.Time) (position int64, ok bool) {
	for _, p := range l.points {
		if !p.at.Before(t) {
			return p.position, true
		}
	}
	return 0, false
}
