package sched

// Node is a place where tasks run: a process or a store's server. It is paused, killed and
// started as a whole.
type Node struct {
	Name string
	ID   uint64 // the key of its draws

	s          *Scheduler
	up         bool
	generation uint32 // counts starts; timers and tasks of an earlier one are dead
	paused     int
	pauseEpoch uint32
	held       []*Timer // what came due while paused, in order
	waited     int64    // how many such there were, ever
	tasks      []*Task
	drawn      [purposes]uint64
}

// Up says whether the node is started and not killed.
func (n *Node) Up() bool { return n.up }

// Generation counts the node's starts.
func (n *Node) Generation() uint32 { return n.generation }

// Paused says whether anything holds the node.
func (n *Node) Paused() bool { return n.paused > 0 }

// Waited counts the timers and messages that ever had to wait because the node was paused.
func (n *Node) Waited() int64 { return n.waited }

// Tasks is the number of living tasks.
func (n *Node) Tasks() int { return len(n.tasks) }

// Draw picks among m for the node's next draw of that purpose.
func (n *Node) Draw(p Purpose, m uint64) uint64 {
	n.drawn[p]++
	return n.s.Pick(p, n.ID, n.drawn[p], m)
}

// Start brings the node up in a new generation.
func (n *Node) Start() {
	n.generation++
	n.up = true
	n.s.Note(noteStart, n.ID, uint64(n.generation))
}

// Go starts a task on the node; it first runs when the scheduler comes to it.
func (n *Node) Go(name string, f func()) *Task {
	t := n.task(name, f)
	n.s.arm(&t.timer, n.s.now, n, n.generation, t)
	return t
}

// Run starts a task on the node and runs it at once, as the step that an event of this node stands
// for. From within another task, or on a paused node, it is Go.
func (n *Node) Run(name string, f func()) *Task {
	t := n.task(name, f)
	if n.s.current != nil || n.paused > 0 {
		n.s.arm(&t.timer, n.s.now, n, n.generation, t)
	} else {
		t.Fire()
	}
	return t
}

func (n *Node) task(name string, f func()) *Task {
	t := n.s.pool.tasks.New()
	t.Name, t.Node, t.run, t.index, t.parked = name, n, f, len(n.tasks), true
	n.tasks = append(n.tasks, t)
	t.co = n.s.pool.get()
	t.co.task = t
	return t
}

// Pause freezes the node. The returned function takes this pause away again; the node runs on
// when the last one has gone. A kill ends all pauses.
func (n *Node) Pause() (resume func()) {
	n.paused++
	n.s.Note(notePause, n.ID, uint64(n.paused))
	epoch, done := n.pauseEpoch, false
	return func() {
		if done || n.pauseEpoch != epoch {
			return
		}
		done = true
		n.paused--
		n.s.Note(noteResume, n.ID, uint64(n.paused))
		if n.paused == 0 {
			n.release()
		}
	}
}

// hold keeps a due timer until the node runs again.
func (n *Node) hold(t *Timer, target Target) {
	t.at, t.node, t.generation, t.target = n.s.now, n, n.generation, target
	t.ready, t.place = true, inHold
	n.held = append(n.held, t)
}

// Deadline is a target that ends somebody's waiting.
type Deadline interface{ IsDeadline() }

// The orders in which a resumed node takes up what waited; a real machine may do any of it.
const (
	together      = iota // at one moment, in the order in which it came; who is woken by it goes on afterwards
	oneByOne             // one after another, a microsecond apart, with whoever each wakes
	deadlinesLast        // the same, and deadlines when the rest is done: an answer that came too late is taken
	wakings
)

// release has the node take up what waited.
func (n *Node) release() {
	waking := uint64(together)
	if len(n.held) > 1 && n.up {
		waking = n.Draw(Waking, wakings)
	}
	at := n.s.now
	take := func(t *Timer) {
		t.place = idle
		n.s.arm(t, at, t.node, t.generation, t.target)
		if waking != together {
			at += 1000
		}
	}
	for _, t := range n.held {
		if t != nil && t.place == inHold && (waking != deadlinesLast || !isDeadline(t)) {
			take(t)
		}
	}
	for i, t := range n.held {
		n.held[i] = nil
		if t != nil && t.place == inHold {
			take(t)
		}
	}
	n.held = n.held[:0]
}

func isDeadline(t *Timer) bool {
	_, is := t.target.(Deadline)
	return is
}

// Kill ends the node at once: its tasks never take another step and its memory is gone. What it
// had handed to the network still arrives. Tasks unwind before the next event.
func (n *Node) Kill() {
	if !n.up {
		return
	}
	n.up = false
	n.generation++
	n.paused = 0
	n.pauseEpoch++
	n.s.Note(noteKill, n.ID, uint64(len(n.tasks)))
	for _, t := range n.tasks {
		t.killed = true
	}
	n.s.doomed = append(n.s.doomed, n.tasks...)
	n.release()
}

func (n *Node) drop(t *Task) {
	last := len(n.tasks) - 1
	moved := n.tasks[last]
	n.tasks[t.index] = moved
	moved.index = t.index
	n.tasks[last] = nil
	n.tasks = n.tasks[:last]
}
