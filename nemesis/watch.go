package nemesis

import (
	"slices"
	"strings"
	"time"

	"dlsim/history"
	"dlsim/sim"
)

// watch is what the nemesis has learnt from the history so far: who holds which lock, who has work
// in flight, and what came last. It believes the store where the store has spoken, else the client.
type watch struct {
	topology sim.Topology
	grants   []*grant // not yet over, in order of granting
	open     []inFlight
	marks    []mark
	marking  bool   // whether marks are still needed
	payout   string // the last one that an event named

	made []*grant // memory for grants
	used int      // of it, in this run
}

// again is a watch that has learnt nothing yet, in the memory of one whose run is over.
func (w *watch) again(t sim.Topology) watch {
	return watch{topology: t, grants: w.grants[:0], open: w.open[:0], marks: w.marks[:0], made: w.made}
}

// grant is one lock granted.
type grant struct {
	account, process string
	token            int64
	runsOut          time.Duration // true time at which its lease has passed; 0 when not known
	over             bool          // released
	ranOut           bool          // ended by the store, or replaced while not released
}

// live reports whether the grant still stands at true time now.
func (g *grant) live(now time.Duration) bool { return !g.over && !g.leaseRanOut(now) }

// leaseRanOut reports whether the lease ended other than by release: the store said so, another
// grant was made, or its time has passed.
func (g *grant) leaseRanOut(now time.Duration) bool {
	return g.ranOut || !g.over && g.runsOut != 0 && now >= g.runsOut
}

type inFlight struct {
	process string
	calls   int
}

// mark is what an anchor can name: a trimmed event.
type mark struct {
	process string
	op      history.Op
	time    time.Duration
	kind    history.Kind
	aside   bool // recorded by a store or the world: no client did it
}

func (w *watch) see(e *history.Event) {
	if w.marking {
		w.marks = append(w.marks, mark{
			process: e.Process, op: e.Op, kind: e.Kind,
			aside: e.Truth || e.Process == worldProcess, time: time.Duration(e.Time),
		})
	}
	if e.Note == history.Lost {
		return // a store forgot something; nobody was granted or gave back anything
	}
	if e.Payout != "" {
		w.payout = e.Payout
	}
	if !e.Truth && e.Call != 0 && e.Kind != history.Invoke {
		w.completed(e.Process)
	} else if !e.Truth && e.Kind == history.Invoke {
		w.invoked(e.Process)
	}
	switch e.Op {
	case history.LockGranted:
		w.granted(e, w.ownerProcess(e))
	case history.LockAcquire:
		if e.Kind == history.OK {
			w.granted(e, e.Process)
		}
	case history.LockRenewed:
		if g := w.find(e.Account, e.Token); g != nil && e.Expires > e.Clock && e.Clock != 0 {
			g.runsOut = time.Duration(e.Time + e.Expires - e.Clock)
		}
	case history.LockReleased:
		w.end(e, func(g *grant) { g.over = true })
	case history.LockRelease:
		if e.Kind == history.OK {
			w.end(e, func(g *grant) { g.over = true })
		}
	case history.LockExpired:
		w.end(e, func(g *grant) { g.ranOut = true })
	case history.ProcessKilled:
		for i := range w.open {
			if w.open[i].process == e.Owner {
				w.open[i].calls = 0
			}
		}
	}
}

// granted notes a grant; the store's word and the client's about one grant are the same grant.
func (w *watch) granted(e *history.Event, process string) {
	g := w.find(e.Account, e.Token)
	if g == nil {
		if !e.Truth && w.superseded(e.Account, e.Token) {
			return // the answer came after the store had granted anew
		}
		for _, old := range w.grants {
			if old.account == e.Account && !old.over {
				old.ranOut = true
			}
		}
		w.grants = slices.DeleteFunc(w.grants, func(old *grant) bool { return old.ranOut || old.over })
		g = w.grant()
		*g = grant{account: e.Account, process: process, token: e.Token}
		w.grants = append(w.grants, g)
	}
	if g.process == "" {
		g.process = process
	}
	if e.Truth && e.Clock != 0 && e.Expires > e.Clock {
		g.runsOut = time.Duration(e.Time + e.Expires - e.Clock)
	}
}

func (w *watch) grant() *grant {
	if w.used == len(w.made) {
		w.made = append(w.made, new(grant))
	}
	w.used++
	return w.made[w.used-1]
}

func (w *watch) find(account string, token int64) *grant {
	for _, g := range w.grants {
		if g.token == token && g.account == account {
			return g
		}
	}
	return nil
}

func (w *watch) superseded(account string, token int64) bool {
	for _, g := range w.grants {
		if g.account == account && g.token > token {
			return true
		}
	}
	return false
}

// end takes the grant that e names out of the list, having told it how it ended.
func (w *watch) end(e *history.Event, how func(*grant)) {
	for i, g := range w.grants {
		if g.account == e.Account && (g.token == e.Token || e.Token == 0) {
			how(g)
			w.grants = slices.Delete(w.grants, i, i+1)
			return
		}
	}
}

// holders lists the executors that hold the account's lock, or any lock where account is empty, in
// order of granting.
func (w *watch) holders(account string, now time.Duration) []string {
	var held []string
	for _, g := range w.grants {
		if account != "" && g.account != account || !g.live(now) {
			continue
		}
		if roleOf(w.topology, g.process) == sim.RoleExecutor && !slices.Contains(held, g.process) {
			held = append(held, g.process)
		}
	}
	return held
}

// appendHeldBy appends the live grants of a process to held.
func (w *watch) appendHeldBy(held []*grant, process string, now time.Duration) []*grant {
	for _, g := range w.grants {
		if g.process == process && g.live(now) {
			held = append(held, g)
		}
	}
	return held
}

// ownerProcess is the process behind the owner of a lock: the one whose name the owner is, or
// whose name begins it ("executor-1/7", but not "executor-12"). The world's notes about a process
// name it the same way. "" where e names no such owner.
func (w *watch) ownerProcess(e *history.Event) string {
	if e.Owner == "" {
		return ""
	}
	for _, p := range w.topology.Processes {
		rest, ok := strings.CutPrefix(e.Owner, p.Name)
		if ok && (rest == "" || !isNameByte(rest[0])) {
			return p.Name
		}
	}
	return ""
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func (w *watch) invoked(process string) {
	for i := range w.open {
		if w.open[i].process == process {
			w.open[i].calls++
			return
		}
	}
	w.open = append(w.open, inFlight{process: process, calls: 1})
}

func (w *watch) completed(process string) {
	for i := range w.open {
		if w.open[i].process == process && w.open[i].calls > 0 {
			w.open[i].calls--
			return
		}
	}
}

// past counts the events that a process has recorded.
func (w *watch) past(process string) int {
	n := 0
	for i := range w.marks {
		if w.marks[i].process == process {
			n++
		}
	}
	return n
}

// busy counts the calls that a process has begun and not completed.
func (w *watch) busy(process string) int {
	for i := range w.open {
		if w.open[i].process == process {
			return w.open[i].calls
		}
	}
	return 0
}
