package checker

import (
	"fmt"
	"time"

	"dlsim/history"
)

// longestCall is true time in which every call of a process that runs has ended: no step of the system waits
// longer than a few seconds, and it is told by a deadline of its own.
const longestCall = 30 * time.Second

// life is what a history says of a process.
type life struct {
	name   string
	from   int32 // position of its last start or death
	ran    int64 // when it was last allowed to run on, true time
	paused bool
}

// leftOpen looks for calls of living processes of which nothing says how they ended. To the other checks such a
// call is one of unknown outcome, which excuses nearly everything, so a record with holes proves less than it seems.
func (c *Checker) leftOpen(o *Observation) {
	if c.ended < 0 {
		return
	}
	latest := c.events[c.ended].Time - int64(longestCall)
	if latest < c.events[0].Time {
		return
	}
	c.settle()
	for at := range c.events {
		e := &c.events[at]
		if e.Time > latest {
			return
		}
		if e.Kind != history.Invoke || e.Truth || c.answered[at] {
			continue
		}
		p := c.lifeOf(e.Process)
		if p == nil || p.paused || int32(at) < p.from || p.ran > latest {
			continue
		}
		if v := o.seen(e.ID); v != nil {
			v.Sentence = fmt.Sprintf("%s never recorded how its %s of %s under token %d ended, and went on.",
				e.Process, e.Op, nameOf(e), e.Token)
		}
	}
}

// settle notes which calls have an end, and how each process fared.
func (c *Checker) settle() {
	c.answered = append(c.answered[:0], make([]bool, len(c.events))...)
	c.lives = c.lives[:0]
	for at := range c.events {
		e := &c.events[at]
		switch e.Op {
		case history.ProcessStarted, history.ProcessKilled, history.ProcessPaused, history.ProcessResumed:
			p := c.lifeOf(e.Owner)
			if p == nil {
				c.lives = append(c.lives, life{name: e.Owner})
				p = &c.lives[len(c.lives)-1]
			}
			p.paused, p.ran = e.Op == history.ProcessPaused, e.Time
			if e.Op == history.ProcessStarted || e.Op == history.ProcessKilled {
				p.from = int32(at)
			}
		}
		if call := c.position(e.Call); call >= 0 && e.Kind != history.Invoke {
			c.answered[call] = true
		}
	}
}

func (c *Checker) lifeOf(process string) *life {
	for i := range c.lives {
		if c.lives[i].name == process {
			return &c.lives[i]
		}
	}
	return nil
}
