package live

import (
	"slices"
	"strings"
	"time"

	"dlsim/history"
	"dlsim/sim"
)

// course keeps the processes to the order of the run that is repeated. A process that has recorded an
// event waits, as it does at each of its events, until what came before it in that run has come here,
// too: its own steps, those of others that have to do with the same account, and those that the stores
// and the rail took for it. So two processes that met within a millisecond there meet in the same order
// here.
//
// Where the run has gone another way what is waited for may never come. Nobody waits long for it, and
// nobody waits for it again.
type course struct {
	w      *World
	steps  []step
	next   map[sign][]int             // the steps by their sign, those that have come taken out
	tokens map[string]map[int64]int64 // by account: the token of the repeated run, by the one here
	held   []heldBack
	last   int // the step that the last event was, -1 for none
}

// step is one event of the run that is repeated.
type step struct {
	at      time.Duration
	account string // "" concerns every account
	process string // all proxies are one
	token   int64
	come    bool
	needs   int // it waits for what stands before this one in the steps
}

// sign is what an event is known by. How an operation ended is no part of it.
type sign struct {
	process         string
	op              history.Op
	answer          bool
	account, payout string
	token           int64 // of the repeated run
}

// heldBack is a process that waits at an event.
type heldBack struct {
	p          *process
	generation int64
	seq, id    int64
	step       int
	since      time.Duration
}

const (
	// together is how far apart two events may be to have to do with one another: what was longer
	// ago has come by itself or will not come.
	together = 250 * time.Millisecond
	// heldAtMost is how long a process waits, well within any deadline of the system.
	heldAtMost = 400 * time.Millisecond
)

// keepTo has the run follow the course of another, given by its history.
func (w *World) keepTo(events []history.Event) {
	if len(events) == 0 {
		return
	}
	c := &course{w: w, next: map[sign][]int{}, tokens: map[string]map[int64]int64{}}
	its := inOrderOfEffect(events)
	for i, e := range its {
		k := signOf(e, e.Token)
		s := step{at: time.Duration(e.Time), account: e.Account, process: k.process, token: e.Token, needs: i}
		// What a client waited for in vain shows its deadline and no step that anybody took.
		s.come = !steps(e) || e.Kind == history.Info && !e.Truth && e.Op == history.PayoutSubmit
		if e.Kind == history.Invoke {
			s.needs = effectOf(its, i)
		}
		if steps(e) {
			c.next[k] = append(c.next[k], i)
		}
		c.steps = append(c.steps, s)
	}
	w.course = c
}

// steps says whether an event is one of a course: not what is a matter of time, as asking for a lock is.
func steps(e *history.Event) bool {
	switch {
	case e.Op == history.ProcessStarted:
		return true
	case e.Payout == "" || e.Op == history.PayoutDue:
		return false
	case e.Truth:
		return e.Process == sim.Paydb || e.Process == sim.RoleRail
	}
	return strings.HasPrefix(e.Process, sim.RoleExecutor) || strings.HasPrefix(e.Process, sim.RoleProxy)
}

// inOrderOfEffect puts each answer of "none" directly after its question: what was written between the
// two was not there yet when the question was looked into.
func inOrderOfEffect(events []history.Event) []*history.Event {
	its := make([]*history.Event, 0, len(events))
	for i := range events {
		e := &events[i]
		if e.Op == history.SubmissionAsk && e.Kind == history.OK && e.State == "NONE" {
			if at := slices.IndexFunc(its, func(q *history.Event) bool { return q.ID == e.Call }); at >= 0 {
				its = slices.Insert(its, at+1, e)
				continue
			}
		}
		its = append(its, e)
	}
	return its
}

// effectOf is the place at which the operation begun at place i took effect: where a store tells of it
// or, for a question, where its answer is.
func effectOf(its []*history.Event, i int) int {
	e := its[i]
	for n := i + 1; n < len(its); n++ {
		switch o := its[n]; {
		case o.Payout != e.Payout || o.Token != e.Token:
		case o.Truth, e.Op == history.SubmissionAsk && o.Call == e.ID:
			return n
		default:
			return i
		}
	}
	return i
}

func signOf(e *history.Event, token int64) sign {
	k := sign{process: e.Process, op: e.Op, answer: e.Kind != history.Invoke, account: e.Account, payout: e.Payout, token: token}
	switch {
	case e.Op == history.ProcessStarted:
		k.process = e.Owner
	case strings.HasPrefix(e.Process, sim.RoleProxy): // which one is asked is luck
		k.process = sim.RoleProxy
	}
	if e.Op == history.PayoutClaim && e.Kind == history.Invoke {
		k.token = 0 // it tells which one stands for which
	}
	return k
}

// see takes up an event and lets those go on who waited for it.
func (c *course) see(e *history.Event) {
	c.last = -1
	if !steps(e) {
		return
	}
	k := signOf(e, c.tokens[e.Account][e.Token])
	left := c.next[k]
	if len(left) == 0 {
		return
	}
	place := left[0]
	c.last, c.next[k] = place, left[1:]
	c.steps[place].come = true
	if e.Op == history.PayoutClaim && e.Kind == history.Invoke {
		if c.tokens[e.Account] == nil {
			c.tokens[e.Account] = map[int64]int64{}
		}
		c.tokens[e.Account][e.Token] = c.steps[place].token
	}
	c.release()
}

// missing gives the steps that have not come and that the one at place waits for.
func (c *course) missing(place int) (its []int) {
	s := &c.steps[place]
	for n := s.needs - 1; n >= 0 && c.steps[n].at >= s.at-together; n-- {
		if o := &c.steps[n]; !o.come && (o.account == s.account || o.account == "" || o.process == s.process) {
			its = append(its, n)
		}
	}
	return its
}

// hold has a process that recorded the event at place wait, if there is something to wait for.
func (c *course) hold(h heldBack) bool {
	if h.step < 0 || len(c.missing(h.step)) == 0 {
		return false
	}
	c.held = append(c.held, h)
	return true
}

// release lets those go on who need not wait any more.
func (c *course) release() {
	c.held = slices.DeleteFunc(c.held, func(h heldBack) bool {
		if !h.p.up || h.p.generation != h.generation {
			return true // it was killed
		}
		if len(c.missing(h.step)) > 0 {
			return false
		}
		h.p.letGo(h.seq, h.id)
		return true
	})
}

// look gives up what somebody has waited for too long.
func (c *course) look() {
	c.release()
	now := c.w.Elapsed()
	for _, h := range c.held {
		if now-h.since > heldAtMost {
			for _, n := range c.missing(h.step) {
				c.steps[n].come = true
			}
		}
	}
	c.release()
}
