package postgres

import (
	"iter"
	"time"
)

// world runs sessions as coroutines under a clock that only a script moves.
type world struct {
	now      int64
	timers   []*timer
	tasks    map[*Session]*task
	names    map[*Session]string
	sessions map[string]*Session
	stalled  bool
	commits  []*Commit
	onCommit func()
	srv      *Server
	standby  *Server
	opts     Options
}

type timer struct {
	at   int64
	f    func()
	done bool
}

type task struct {
	resume func() (struct{}, bool)
	yield  func(struct{}) bool
	ready  bool
	parked bool
	flush  bool
	result string
	done   bool
}

func newWorld() *world {
	w := &world{
		now:   time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano(),
		tasks: map[*Session]*task{}, names: map[*Session]string{}, sessions: map[string]*Session{},
	}
	w.srv = NewServer(w, w.opts)
	return w
}

func (w *world) Now() int64 { return w.now }

func (w *world) Wait(s *Session) {
	t := w.tasks[s]
	t.parked = true
	t.yield(struct{}{})
	t.parked = false
}

func (w *world) Wake(s *Session) { w.tasks[s].ready = true }

func (w *world) After(d time.Duration, f func()) func() {
	t := &timer{at: w.now + int64(d), f: f}
	w.timers = append(w.timers, t)
	return func() { t.done = true }
}

func (w *world) Flush(s *Session) {
	t := w.tasks[s]
	for w.stalled && !s.lost {
		t.flush = true
		w.Wait(s)
	}
	t.flush = false
}

func (w *world) Committed(c *Commit) {
	w.commits = append(w.commits, c)
	if w.onCommit != nil {
		w.onCommit()
	}
}

// advance moves the clock, running timers in time order.
func (w *world) advance(d time.Duration) {
	until := w.now + int64(d)
	for {
		var next *timer
		for _, t := range w.timers {
			if !t.done && t.at <= until && (next == nil || t.at < next.at) {
				next = t
			}
		}
		if next == nil {
			w.now = until
			return
		}
		w.now = next.at
		next.done = true
		next.f()
		w.settle()
	}
}

// start runs a statement of s until it ends or parks.
func (w *world) start(s *Session, sql string, args []any) {
	t := &task{}
	w.tasks[s] = t
	t.resume, _ = iter.Pull(func(yield func(struct{}) bool) {
		t.yield = yield
		res, err := s.Exec(sql, args)
		t.result = formatResult(res, err)
		t.done = true
	})
	t.resume()
}

// settle runs whoever was woken, in the order of the sessions' names, and says who finished.
func (w *world) settle() []string {
	var finished []string
	for again := true; again; {
		again = false
		for _, name := range w.sortedNames() {
			t := w.tasks[w.sessions[name]]
			if t == nil || !t.ready || t.done {
				continue
			}
			t.ready = false
			t.resume()
			again = true
			if t.done {
				finished = append(finished, name)
			}
		}
	}
	return finished
}
