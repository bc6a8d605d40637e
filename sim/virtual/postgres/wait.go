package postgres

import (
	"slices"
	"strings"
	"time"
)

// tupleQueue is the heavyweight lock on one row version: whoever has to wait for the version's
// holder takes it first, so that waiters get the row in the order in which they came.
type tupleQueue struct {
	holders, waiters []queued
}

type queued struct {
	session *Session
	mode    lockMode
}

// wait is what a parked session waits for: a transaction's end, or its turn in a queue.
type wait struct {
	tx    *tx
	queue *tupleQueue
	mode  lockMode
	over  bool // granted
}

// enterQueue takes the tuple lock of v. Under another policy than waitBlock it answers false, or
// 55P03, rather than wait.
func (s *Session) enterQueue(v *version, mode lockMode, policy waitPolicy) (bool, error) {
	if v.queue == nil {
		v.queue = &tupleQueue{}
	}
	q := v.queue
	blocked := func(others []queued) bool {
		for _, o := range others {
			if o.session != s && mode.excludes(o.mode) {
				return true
			}
		}
		return false
	}
	if !blocked(q.holders) && !blocked(q.waiters) {
		q.holders = append(q.holders, queued{s, mode})
		s.holding = q
		return true, nil
	}
	switch policy {
	case waitSkip:
		return false, nil
	case waitError:
		return false, errRowNotAvailable(s.lockTable)
	}
	q.waiters = append(q.waiters, queued{s, mode})
	s.holding = q
	if err := s.park(wait{queue: q, mode: mode}); err != nil {
		return false, err
	}
	return true, nil
}

// leaveQueue gives the tuple lock back and grants it to whoever is next.
func (s *Session) leaveQueue(entered bool) {
	if !entered || s.holding == nil {
		return
	}
	q := s.holding
	s.holding = nil
	q.remove(s)
	q.grant()
}

func (q *tupleQueue) remove(s *Session) {
	mine := func(e queued) bool { return e.session == s }
	q.holders = slices.DeleteFunc(q.holders, mine)
	q.waiters = slices.DeleteFunc(q.waiters, mine)
}

// grant lets every waiter in who conflicts neither with a holder nor with a waiter before it.
func (q *tupleQueue) grant() {
	for i := 0; i < len(q.waiters); {
		w := q.waiters[i]
		conflict := func(o queued) bool { return w.mode.excludes(o.mode) }
		if slices.ContainsFunc(q.holders, conflict) || slices.ContainsFunc(q.waiters[:i], conflict) {
			i++
			continue
		}
		q.waiters = slices.Delete(q.waiters, i, i+1)
		q.holders = append(q.holders, w)
		w.session.granted()
	}
}

// waitFor waits until t has ended.
func (s *Session) waitFor(t *tx) error {
	if !t.running() {
		return nil
	}
	t.waiters = append(t.waiters, s)
	return s.park(wait{tx: t})
}

func (s *Session) granted() {
	s.waiting.over = true
	s.srv.env.Wake(s)
}

// park waits until w is granted, the session is interrupted, or a timeout strikes. A wait that
// fails leaves no trace in the queues; the statement's abort gives back what was held.
func (s *Session) park(w wait) error {
	s.waiting = w
	s.parked = true
	stopDeadlock := s.srv.env.After(s.set.deadlockTimeout, s.checkDeadlock)
	var stopLock func()
	if s.set.lockTimeout > 0 {
		stopLock = s.srv.env.After(s.set.lockTimeout, func() {
			s.interruptWait(pgError("55P03", "canceling statement due to lock timeout"))
		})
	}
	for !s.waiting.over && s.interrupt == nil {
		s.srv.env.Wait(s)
	}
	stopDeadlock()
	if stopLock != nil {
		stopLock()
	}
	s.parked = false
	if w.tx != nil && !s.waiting.over {
		w.tx.waiters = slices.DeleteFunc(w.tx.waiters, func(o *Session) bool { return o == s })
	}
	s.waiting = wait{}
	err := s.interrupt
	s.interrupt = nil
	return err
}

// interruptWait fails the wait of a parked session with err.
func (s *Session) interruptWait(err error) {
	if !s.parked || s.interrupt != nil {
		return
	}
	s.interrupt = err
	s.srv.env.Wake(s)
}

// checkDeadlock runs when a wait has lasted deadlock_timeout, once, as PostgreSQL does: whoever
// closes a cycle, or joined it last, finds it.
func (s *Session) checkDeadlock() {
	if !s.parked || s.waiting.over {
		return
	}
	var path []edge
	if !s.findCycle(s, &path, map[*Session]bool{}) {
		return
	}
	// A cycle that hangs on the order of a queue alone is undone by changing that order.
	for _, e := range path {
		if e.soft && e.from.waiting.queue.overtake(e.from, e.to) {
			return
		}
	}
	err := pgError("40P01", "deadlock detected")
	var detail []string
	for _, e := range path {
		detail = append(detail, e.describe())
	}
	err.Detail = strings.Join(detail, "\n")
	err.Hint = "See server log for query details."
	s.interruptWait(err)
}

// edge says that from waits for to; soft when only a place in the queue stands between them.
type edge struct {
	from, to *Session
	soft     bool
}

func (e edge) describe() string {
	w := e.from.waiting
	what := w.mode.String() + " on a tuple"
	if w.tx != nil {
		what = "ShareLock on transaction " + formatValue(w.tx.xid)
	}
	return "Process " + formatValue(e.from.pid) + " waits for " + what + "; blocked by process " + formatValue(e.to.pid) + "."
}

func (s *Session) blockers() []edge {
	if !s.parked || s.waiting.over {
		return nil
	}
	if t := s.waiting.tx; t != nil {
		return []edge{{from: s, to: t.session}}
	}
	var out []edge
	for _, h := range s.waiting.queue.holders {
		if h.session != s && s.waiting.mode.excludes(h.mode) {
			out = append(out, edge{from: s, to: h.session})
		}
	}
	for _, o := range s.waiting.queue.waiters {
		if o.session == s {
			break
		}
		if s.waiting.mode.excludes(o.mode) {
			out = append(out, edge{from: s, to: o.session, soft: true})
		}
	}
	return out
}

func (s *Session) findCycle(start *Session, path *[]edge, seen map[*Session]bool) bool {
	for _, e := range s.blockers() {
		*path = append(*path, e)
		if e.to == start {
			return true
		}
		if !seen[e.to] {
			seen[e.to] = true
			if e.to.findCycle(start, path, seen) {
				return true
			}
		}
		*path = (*path)[:len(*path)-1]
	}
	return false
}

// overtake moves from before to, and says whether that let it in.
func (q *tupleQueue) overtake(from, to *Session) bool {
	find := func(s *Session) int {
		return slices.IndexFunc(q.waiters, func(e queued) bool { return e.session == s })
	}
	i, j := find(from), find(to)
	if i < 0 || j < 0 || i < j {
		return false
	}
	before := slices.Clone(q.waiters)
	w := q.waiters[i]
	q.waiters = slices.Insert(slices.Delete(q.waiters, i, i+1), j, w)
	q.grant()
	if from.waiting.over {
		return true
	}
	q.waiters = before
	return false
}

// blockedBy names who stands in the way of a parked session, nearest first: for traces and tests.
func (s *Session) blockedBy() []*Session {
	var out []*Session
	for _, e := range s.blockers() {
		out = append(out, e.to)
	}
	return out
}

// Waiting says whether the session's statement is parked in a lock wait, and since which
// sessions stand in its way.
func (s *Session) Waiting() (bool, []*Session) { return s.parked && !s.waiting.over, s.blockedBy() }

const defaultDeadlockTimeout = time.Second
