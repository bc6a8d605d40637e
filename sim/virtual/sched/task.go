package sched

// Task is one coroutine's worth of work on a node. Exactly one task runs at a time; the others
// are parked until a timer, a message or another task wakes them.
type Task struct {
	Name string
	Node *Node

	timer  Timer // the pending wake-up or sleep
	run    func()
	co     *coroutine
	index  int    // in Node.tasks
	turn   uint64 // counts parkings, so that a late wake-up of an earlier one is ignored
	parked bool
	killed bool
	ended  bool
	joined []waiter
}

type waiter struct {
	task *Task
	turn uint64
}

// Turn identifies the parking that comes next; take it before handing the task to whoever wakes it.
func (t *Task) Turn() uint64 { return t.turn + 1 }

// Park gives up the processor until Wake is called for this turn. It does not return when the
// task's process is killed meanwhile.
func (t *Task) Park() {
	t.turn++
	t.parked = true
	t.co.yield(struct{}{})
	if t.killed {
		panic(killed{})
	}
}

// Wake makes the task runnable if it is still parked in that turn. It says whether it was.
func (t *Task) Wake(turn uint64) bool {
	if !t.parked || t.turn != turn || t.ended || t.killed {
		return false
	}
	s := t.Node.s
	if t.timer.armed() && t.timer.at <= s.now {
		return false // it is on its way already
	}
	s.Stop(&t.timer)
	s.arm(&t.timer, s.now, t.Node, t.Node.generation, t)
	return true
}

// Resume runs the task at once if it is still parked in that turn, instead of queueing it: for
// wake-ups that come from an event of the task's own node, such as the arrival of an answer, so
// that the event itself stands for the step. From within another task it is Wake.
func (t *Task) Resume(turn uint64) bool {
	s := t.Node.s
	if s.current != nil || t.Node.paused > 0 {
		return t.Wake(turn)
	}
	if !t.parked || t.turn != turn || t.ended || t.killed {
		return false
	}
	if t.timer.armed() && t.timer.at <= s.now {
		return false // it is on its way already
	}
	s.Stop(&t.timer)
	t.Fire()
	return true
}

// Fire resumes the task. It is called by the scheduler.
func (t *Task) Fire() {
	t.parked = false
	t.Node.s.resume(t)
}

// Sleep parks the task until true time at. An earlier Wake of this turn cuts it short.
func (t *Task) Sleep(at int64) {
	t.Node.s.arm(&t.timer, at, t.Node, t.Node.generation, t)
	t.Park()
}

// Alive panics the running task away when its process has been killed, and holds it while its
// process is paused. Every host call begins and ends with it.
func (t *Task) Alive() {
	if t.killed {
		panic(killed{})
	}
	if t.Node.paused > 0 {
		t.Node.hold(&t.timer, t)
		t.Park()
	}
}

// Killed says whether the task's process is gone, for calls that must then do nothing.
func (t *Task) Killed() bool { return t.killed }

// Ended says whether the task has finished, killed or not.
func (t *Task) Ended() bool { return t.ended }

// Joined has other woken for turn when t ends.
func (t *Task) Joined(other *Task, turn uint64) {
	t.joined = append(t.joined, waiter{other, turn})
}
