package live

import (
	"slices"
	"sync"
	"time"

	"dlsim/sim/live/control"
)

// item is one thing for the world's loop to do: a message of a process, or a function.
type item struct {
	from       *process
	generation int64
	up         *control.Up
	f          func()
}

// queue hands items to the loop in the order they came. It has no bound, so that whoever adds to it
// never waits for the loop, which may be waiting for them.
type queue struct {
	mu    sync.Mutex
	items []item
	more  chan struct{}
}

func newQueue() *queue { return &queue{more: make(chan struct{}, 1)} }

func (q *queue) add(i item) {
	q.mu.Lock()
	q.items = append(q.items, i)
	q.mu.Unlock()
	select {
	case q.more <- struct{}{}:
	default:
	}
}

// next waits for an item, or until the time has come; ok is false then.
func (q *queue) next(until <-chan time.Time) (i item, ok bool) {
	for {
		q.mu.Lock()
		if len(q.items) > 0 {
			i = q.items[0]
			q.items = q.items[1:]
			q.mu.Unlock()
			return i, true
		}
		q.mu.Unlock()
		select {
		case <-q.more:
		case <-until:
			return item{}, false
		}
	}
}

// of takes out what one process has sent, in order.
func (q *queue) of(p *process) []item {
	q.mu.Lock()
	defer q.mu.Unlock()
	var its []item
	q.items = slices.DeleteFunc(q.items, func(i item) bool {
		if i.from == p {
			its = append(its, i)
			return true
		}
		return false
	})
	return its
}

// recorded counts the records that wait.
func (q *queue) recorded() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := 0
	for _, i := range q.items {
		if i.up != nil && i.up.Event != nil {
			n++
		}
	}
	return n
}
