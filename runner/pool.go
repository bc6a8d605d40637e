package runner

import (
	"context"
	"sync"
)

// inOrder calls work(k) for k = 0, 1, … n-1 on so many workers and hands each result to collect in
// the order of k, one at a time. Each worker has a work function of its own from newWorker, with
// what closes it, so that caches need no locks.
//
// It stops handing out when ctx is done or a result is an error, waits for what is running, and
// returns the first error in the order of k. What collect has seen is always a prefix of the work.
func inOrder[R any](ctx context.Context, n uint64, workers int, newWorker func() (work func(k uint64) (R, error), end func()), collect func(k uint64, r R)) error {
	q := &queue[R]{n: n, ready: map[uint64]R{}, collect: collect}
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			work, end := newWorker()
			defer end()
			for {
				k, ok := q.next(ctx)
				if !ok {
					return
				}
				r, err := work(k)
				q.done(k, r, err)
			}
		})
	}
	running.Wait()
	return q.err
}

type queue[R any] struct {
	mu      sync.Mutex
	n       uint64
	handed  uint64       // work handed out so far
	counted uint64       // results collected so far
	ready   map[uint64]R // finished before its turn
	collect func(uint64, R)
	err     error
	errAt   uint64
}

func (q *queue[R]) next(ctx context.Context) (uint64, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err != nil || q.handed == q.n || ctx.Err() != nil {
		return 0, false
	}
	q.handed++
	return q.handed - 1, true
}

func (q *queue[R]) done(k uint64, r R, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err != nil {
		if q.err == nil || k < q.errAt {
			q.err, q.errAt = err, k
		}
		return
	}
	if k != q.counted {
		q.ready[k] = r
		return
	}
	for ok := true; ok; {
		q.collect(q.counted, r)
		q.counted++
		if r, ok = q.ready[q.counted]; ok {
			delete(q.ready, q.counted)
		}
	}
}
