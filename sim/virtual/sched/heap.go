package sched

// queue orders timers by time, then by the order in which they were armed. Timers armed for now
// (most of them: a task made runnable) go to a first-in-first-out lane instead of the heap.
type queue struct {
	heap []*Timer
	lane []*Timer
	head int
	seq  uint64
}

func before(a, b *Timer) bool {
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
	q.heap = append(q.heap, t)
	t.place = len(q.heap) - 1
	q.up(t.place)
}

// peek returns the next timer without taking it, or nil.
func (q *queue) peek() *Timer {
	for q.head < len(q.lane) && q.lane[q.head] == nil {
		q.head++
	}
	if q.head < len(q.lane) {
		first := q.lane[q.head]
		if len(q.heap) > 0 && before(q.heap[0], first) {
			return q.heap[0]
		}
		return first
	}
	q.lane, q.head = q.lane[:0], 0
	if len(q.heap) > 0 {
		return q.heap[0]
	}
	return nil
}

// remove takes t out wherever it is.
func (q *queue) remove(t *Timer) {
	switch {
	case t.place >= 0:
		i, last := t.place, len(q.heap)-1
		moved := q.heap[last]
		q.heap[last] = nil
		q.heap = q.heap[:last]
		if i < last {
			q.heap[i] = moved
			moved.place = i
			if !q.down(i) {
				q.up(i)
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

func (q *queue) up(i int) {
	for i > 0 {
		parent := (i - 1) / 4
		if !before(q.heap[i], q.heap[parent]) {
			return
		}
		q.swap(i, parent)
		i = parent
	}
}

func (q *queue) down(i int) bool {
	start := i
	for {
		least, first := i, 4*i+1
		for c := first; c < first+4 && c < len(q.heap); c++ {
			if before(q.heap[c], q.heap[least]) {
				least = c
			}
		}
		if least == i {
			return i != start
		}
		q.swap(i, least)
		i = least
	}
}

func (q *queue) swap(i, j int) {
	q.heap[i], q.heap[j] = q.heap[j], q.heap[i]
	q.heap[i].place, q.heap[j].place = i, j
}
