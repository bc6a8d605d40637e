package sched

// queue orders timers by time, then by the order in which they were armed. Timers armed for now
// (most of them: a task made runnable) go to a first-in-first-out lane instead of the heap.
type queue struct {
	heap []entry // of four children each
	lane []*Timer
	head int
	seq  uint64
}

// entry is a timer in the heap with its own copy of the order, so that sifting stays within the
// heap's memory.
type entry struct {
	at  int64
	seq uint64
	t   *Timer
}

func (a *entry) before(b *entry) bool {
	return a.at < b.at || a.at == b.at && a.seq < b.seq
}

func (q *queue) push(t *Timer, now int64) {
	q.seq++
	t.seq = q.seq
	if t.at <= now {
		t.at = now
		t.place = inLane
		q.lane = append(q.lane, t)
		return
	}
	q.heap = append(q.heap, entry{})
	q.up(len(q.heap)-1, entry{t.at, t.seq, t})
}

// peek returns the next timer without taking it, or nil.
func (q *queue) peek() *Timer {
	for q.head < len(q.lane) && q.lane[q.head] == nil {
		q.head++
	}
	if q.head < len(q.lane) {
		first := q.lane[q.head]
		if len(q.heap) > 0 {
			if h := &q.heap[0]; h.at < first.at || h.at == first.at && h.seq < first.seq {
				return h.t
			}
		}
		return first
	}
	q.lane, q.head = q.lane[:0], 0
	if len(q.heap) > 0 {
		return q.heap[0].t
	}
	return nil
}

// remove takes t out wherever it is.
func (q *queue) remove(t *Timer) {
	switch {
	case t.place >= 0:
		i, last := t.place, len(q.heap)-1
		moved := q.heap[last]
		q.heap[last].t = nil
		q.heap = q.heap[:last]
		if i < last {
			if i > 0 && moved.before(&q.heap[(i-1)/4]) {
				q.up(i, moved)
			} else {
				q.down(i, moved)
			}
		}
	case t.place == inLane:
		if q.lane[q.head] == t { // by far the most frequent
			q.lane[q.head] = nil
			q.head++
			break
		}
		for i := q.head; i < len(q.lane); i++ {
			if q.lane[i] == t {
				q.lane[i] = nil
				break
			}
		}
	}
	t.place = idle
}

// up puts e at i or above, moving down what must come after it.
func (q *queue) up(i int, e entry) {
	for i > 0 {
		parent := (i - 1) / 4
		if !e.before(&q.heap[parent]) {
			break
		}
		q.put(i, q.heap[parent])
		i = parent
	}
	q.put(i, e)
}

// down puts e at i or below, moving up what must come before it.
func (q *queue) down(i int, e entry) {
	for {
		first := 4*i + 1
		if first >= len(q.heap) {
			break
		}
		least := first
		for c := first + 1; c < first+4 && c < len(q.heap); c++ {
			if q.heap[c].before(&q.heap[least]) {
				least = c
			}
		}
		if !q.heap[least].before(&e) {
			break
		}
		q.put(i, q.heap[least])
		i = least
	}
	q.put(i, e)
}

func (q *queue) put(i int, e entry) {
	q.heap[i] = e
	e.t.place = i
}
