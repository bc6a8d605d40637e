package sched

import (
	"iter"

	"dlsim/sim/virtual/slab"
)

// killed is what a host call of a dead process panics with. Only trampoline recovers it.
type killed struct{}

// coroutine is a reusable stack on which one task after another runs. Making one costs far more
// than switching to it, so they are pooled across worlds.
type coroutine struct {
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
	task  *Task // what it runs; nil while it waits in the pool
}

// Pool keeps idle coroutines, and the memory of tasks. It belongs to one worker and is handed from
// world to world, which use it one after another.
type Pool struct {
	idle  []*coroutine
	tasks slab.Of[Task]
}

func (p *Pool) get() *coroutine {
	if last := len(p.idle) - 1; last >= 0 {
		c := p.idle[last]
		p.idle = p.idle[:last]
		return c
	}
	c := &coroutine{}
	c.next, c.stop = iter.Pull(func(yield func(struct{}) bool) {
		c.yield = yield
		for {
			c.trampoline()
			c.task = nil
			if !yield(struct{}{}) {
				return
			}
		}
	})
	return c
}

func (p *Pool) put(c *coroutine) { p.idle = append(p.idle, c) }

// Close ends all idle coroutines. The pool can go on being used.
func (p *Pool) Close() {
	for _, c := range p.idle {
		c.stop()
	}
	p.idle = nil
}

// trampoline runs the task and swallows the one panic that means "your process was killed". A
// panic of a living task is a bug and passes with its stack untouched.
//
//dlsim:trampoline
func (c *coroutine) trampoline() {
	t := c.task
	defer func() {
		if !t.killed {
			return
		}
		if r := recover(); r != nil {
			if _, ok := r.(killed); !ok {
				panic(r)
			}
		}
	}()
	if !t.killed { // its process may have died before it took its first step
		t.run()
	}
}
