// Package sched is the virtual world's processor: virtual time, coroutines, timers and draws. It
// is single-threaded. Exactly one task runs at a time, in an order that is a function of the
// seed; nothing here knows what the tasks do.
package sched

import "strconv"

// Where a timer is when it is not in the heap (a heap position is 0 or more).
const (
	idle   = -1
	inLane = -2
	inHold = -3
)

// Target is what a timer strikes.
type Target interface{ Fire() }

// Timer is a pending event. It is embedded in whatever it strikes, so arming one allocates
// nothing. The zero value is ready once Init has been called or it has been armed.
type Timer struct {
	at         int64
	seq        uint64
	place      int
	node       *Node
	generation uint32
	target     Target
	ready      bool
}

func (t *Timer) armed() bool { return t.ready && t.place != idle }

// Scheduler runs one world.
type Scheduler struct {
	choices Choices
	pool    *Pool
	q       queue
	now     int64
	steps   int64
	current *Task
	doomed  []*Task
	trace   uint64
	tracer  func(step int64, at int64, what string)
}

// New returns a scheduler at time 0. pool may be shared by worlds that follow each other.
func New(c Choices, pool *Pool) *Scheduler {
	pool.tasks.Reset()
	return &Scheduler{choices: c, pool: pool, trace: 0x243f6a8885a308d3}
}

// Trace has f told every step in words as well; only for runs that are kept, since it is slow.
func (s *Scheduler) Trace(f func(step, at int64, what string)) { s.tracer = f }

// Now is the true time in nanoseconds since the world's start.
func (s *Scheduler) Now() int64 { return s.now }

// Steps counts the events that were fired.
func (s *Scheduler) Steps() int64 { return s.steps }

// TraceHash covers every decision, delivery and state change so far.
func (s *Scheduler) TraceHash() uint64 { return s.trace }

// Current is the running task. Asking outside of one is a bug.
func (s *Scheduler) Current() *Task {
	if s.current == nil {
		panic("sched: a host call outside of any task")
	}
	return s.current
}

// Running is the running task, or nil.
func (s *Scheduler) Running() *Task { return s.current }

// Node adds a node that is not up yet.
func (s *Scheduler) Node(name string) *Node {
	return &Node{Name: name, ID: Place(name), s: s}
}

// Pick makes one choice and folds it into the trace.
func (s *Scheduler) Pick(p Purpose, place, nth, n uint64) uint64 {
	c := s.choices.Pick(p, place, nth, n)
	s.trace = Mix(s.trace, c+uint64(p)<<56)
	return c
}

// What a Note is about, beyond the kinds the world adds from NoteWorld on.
const (
	noteStart = iota + 1
	noteKill
	notePause
	noteResume
	noteFire
	NoteWorld = 16
)

// Note folds a state change into the trace.
func (s *Scheduler) Note(kind uint64, a, b uint64) {
	s.trace = Mix(s.trace^kind<<48, Mix(a, b))
	if s.tracer != nil && kind != noteFire {
		s.tracer(s.steps, s.now, describe(kind)+" "+strconv.FormatUint(a, 16)+" "+strconv.FormatUint(b, 16))
	}
}

// Tracing says whether Say would be heard, so that callers can save building the words.
func (s *Scheduler) Tracing() bool { return s.tracer != nil }

// Say adds words to the trace of a run that is kept. It changes no hash.
func (s *Scheduler) Say(what string) {
	if s.tracer != nil {
		s.tracer(s.steps, s.now, what)
	}
}

func describe(kind uint64) string {
	names := [...]string{noteStart: "start", noteKill: "kill", notePause: "pause", noteResume: "resume"}
	if kind < uint64(len(names)) {
		return names[kind]
	}
	return "note-" + strconv.FormatUint(kind, 10)
}

// Arm sets t to strike target at true time at. On a paused node it waits. With a node, a strike
// that was meant for one generation (anyGeneration false) is dropped when the node has been
// killed since.
func (s *Scheduler) Arm(t *Timer, at int64, n *Node, anyGeneration bool, target Target) {
	generation := uint32(0)
	if n != nil && !anyGeneration {
		generation = n.generation
	}
	s.arm(t, at, n, generation, target)
}

func (s *Scheduler) arm(t *Timer, at int64, n *Node, generation uint32, target Target) {
	if t.armed() {
		panic("sched: a timer armed twice")
	}
	t.ready = true
	t.at, t.node, t.generation, t.target = at, n, generation, target
	s.q.push(t, s.now)
}

// Stop disarms t if it is armed.
func (s *Scheduler) Stop(t *Timer) {
	if !t.armed() {
		return
	}
	if t.place == inHold {
		t.place = idle // release skips it
		return
	}
	s.q.remove(t)
}

// Func is a target made of a function.
type Func func()

// Fire calls the function.
func (f Func) Fire() { f() }

// After arms a new timer that calls f on node n (nil for the harness) after d true nanoseconds.
func (s *Scheduler) After(d int64, n *Node, f func()) *Timer {
	t := &Timer{}
	s.Arm(t, s.now+d, n, n == nil, Func(f))
	return t
}

// Step fires the next event that is due by until. It returns false when there is none.
func (s *Scheduler) Step(until int64) bool {
	s.reap()
	t := s.q.peek()
	if t == nil || t.at > until {
		return false
	}
	s.q.remove(t)
	if t.at > s.now {
		s.now = t.at
	}
	if n := t.node; n != nil {
		if t.generation != 0 && t.generation != n.generation {
			return true // meant for a process that is gone
		}
		if n.paused > 0 {
			n.waited++
			t.place = inHold
			n.held = append(n.held, t)
			return true
		}
		s.trace = Mix(s.trace^noteFire<<48, Mix(uint64(s.now), n.ID))
	} else {
		s.trace = Mix(s.trace^noteFire<<48, uint64(s.now))
	}
	s.steps++
	if s.tracer != nil {
		s.tracer(s.steps, s.now, stepName(t))
	}
	t.target.Fire()
	return true
}

func stepName(t *Timer) string {
	where := "harness"
	if t.node != nil {
		where = t.node.Name
	}
	switch target := t.target.(type) {
	case *Task:
		return where + " runs " + target.Name
	case interface{ Describe() string }:
		return where + " " + target.Describe()
	}
	return where + " timer"
}

func (s *Scheduler) resume(t *Task) {
	if s.current != nil {
		panic("sched: a task resumed from within a task")
	}
	s.current = t
	t.co.next()
	s.current = nil
	if t.co.task == nil {
		s.retire(t)
	}
}

func (s *Scheduler) retire(t *Task) {
	t.ended = true
	s.Stop(&t.timer)
	s.pool.put(t.co)
	t.co = nil
	t.Node.drop(t)
	for _, w := range t.joined {
		w.task.Wake(w.turn)
	}
}

// reap unwinds the tasks of killed nodes. It must not run inside a task.
func (s *Scheduler) reap() {
	for len(s.doomed) > 0 {
		doomed := s.doomed
		s.doomed = nil
		for _, t := range doomed {
			if t.ended {
				continue
			}
			s.Stop(&t.timer)
			s.resume(t)
			if !t.ended {
				panic("sched: task " + t.Name + " of " + t.Node.Name + " survived its kill")
			}
		}
	}
}

// Shutdown kills the nodes in order and unwinds all their tasks; every coroutine is back in the
// pool afterwards.
func (s *Scheduler) Shutdown(nodes []*Node) {
	s.reap()
	for _, n := range nodes {
		n.Kill()
	}
	s.reap()
}
