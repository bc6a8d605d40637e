package live

import "sync"

// beside has work done while the loop serves the rest of the world, and then calls then on the loop with
// what came of it. The run does not end before that. Whoever takes away what the work is about waits
// for all of it first.
func (w *World) beside(all *sync.WaitGroup, work func() error, then func(error)) {
	w.under++
	all.Go(func() {
		err := work()
		w.queue.add(item{f: func() {
			w.under--
			then(err)
		}})
	})
}
