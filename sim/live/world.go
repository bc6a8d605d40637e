package live

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"dlsim/history"
	"dlsim/sim"
	"dlsim/sim/live/link"
	"dlsim/sim/virtual/sched"
)

// World is one run of the system as OS processes. All that happens to it happens on the one
// goroutine that runs it.
type World struct {
	options Options
	ctx     context.Context
	folder  string // everything on disk, PostgreSQL's clusters apart
	guard   *guard
	mesh    *link.Mesh
	queue   *queue
	closing sync.Once

	topology   sim.Topology
	processes  []*process // in start order
	paydb      *database
	lockdb     *database
	etcd       *etcdCluster
	payouts    []sim.Payout
	credential string

	running    bool
	begun      time.Time
	early      []func() // what was asked for before the run
	events     []history.Event
	observers  []func(*history.Event)
	progress   progress
	picks      map[string]uint64
	resets     map[sim.Link]uint64
	nextID     int64       // of asks and orders
	under      int         // acts on stores that are under way
	assignment *assignment // nil where no run is repeated
	course     *course     // likewise
	failure    error
	truths     []history.Event // scratch
}

var _ sim.World = (*World)(nil)

const worldName = "world"

func newWorld(ctx context.Context, o Options) (*World, error) {
	folder, err := runFolder()
	if err != nil {
		return nil, err
	}
	g, err := newGuard(folder)
	if err != nil {
		os.RemoveAll(folder)
		return nil, err
	}
	w := &World{
		options: o, ctx: ctx, folder: folder, guard: g, queue: newQueue(), begun: time.Now(),
		picks: map[string]uint64{}, resets: map[sim.Link]uint64{},
	}
	w.mesh = link.NewMesh(link.Options{MessageLifetime: o.Network.MessageLifetime, Latency: w.latency, ResetAtHeal: w.resetAtHeal})
	w.payouts = o.Workload.Draw(w.drawn)
	w.credential = strconv.FormatUint(w.drawn("credential", 0, 1<<62), 36)
	w.progress.expected = len(w.payouts)
	if o.System.Rail.Void {
		w.progress.book = &sim.Book{}
	}
	return w, nil
}

// drawn makes the workload's draws. They are those of the virtual world.
func (w *World) drawn(field string, nth int, n uint64) uint64 {
	return sched.Keyed(w.options.Seed).Pick(sched.WorkloadDraw, sched.Place(field), uint64(nth), n)
}

// latency is what a message takes beyond the machine's own time: the scenario's typical latency, with
// no luck to it, since the machine brings its own. What stores say among themselves is not delayed.
func (w *World) latency(l sim.Link, _ bool, _ uint64) time.Duration {
	if strings.HasPrefix(l.From, etcdName) || strings.HasSuffix(l.From, standbySuffix) {
		return 0
	}
	return w.options.Network.Latency
}

// resetAtHeal breaks one in four of the connections that a heal finds waiting, as the virtual world
// does. It is called from the loop only, since only the loop heals.
func (w *World) resetAtHeal(l sim.Link) bool {
	nth := w.resets[l]
	w.resets[l]++
	return sched.Keyed(w.options.Seed).Pick(sched.HealOrReset, sched.Place(l.From+">"+l.To), nth, 4) == 0
}

// Run runs the world to its end, closes it and hands over what happened.
func (w *World) Run() sim.Outcome {
	defer w.Close()
	w.begin()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	stop := context.AfterFunc(w.ctx, func() { w.queue.add(item{f: func() { w.fail(w.ctx.Err()) }}) })
	defer stop()

	quiet := false
	for !quiet && w.failure == nil && time.Since(w.begun) < w.options.Bound {
		i, ok := w.queue.next(look.C)
		if !ok {
			w.runClocks()
			w.catchUp()
			if w.assignment != nil {
				w.assignment.look()
			}
			if w.course != nil {
				w.course.look()
			}
			quiet = w.quiescent()
			continue
		}
		w.handle(i)
	}
	note := "bound reached"
	if quiet {
		note = "quiescent"
	}
	for _, p := range w.processes {
		p.ask() // what has met the faults that nobody heals
	}
	w.settle()
	w.record(&history.Event{Process: worldName, Kind: history.Info, Op: history.WorldEnded, Note: note})
	return sim.Outcome{
		Events: w.events, Elapsed: time.Duration(w.events[len(w.events)-1].Time),
		Steps: int64(len(w.events)), Quiescent: quiet,
	}
}

// settle ends the processes, takes up the last that they did, and sees to it that the history has
// all that they wrote down.
func (w *World) settle() {
	for _, p := range w.processes {
		if p.up {
			p.kill()
			p.takeUp()
		}
	}
	w.catchUp()
	recorded := map[string]int{}
	for i := range w.events {
		recorded[w.events[i].Process]++
	}
	for _, p := range w.processes {
		written, err := p.written()
		if err == nil && len(written) != recorded[p.name] {
			err = fmt.Errorf("it wrote down %d events and the history has %d: a defect of dlsim", len(written), recorded[p.name])
		}
		if err != nil {
			w.fail(fmt.Errorf("%s: %w", p.name, err))
		}
	}
}

// lookEvery is how often the stores' records are read while no process asks for it.
const lookEvery = 20 * time.Millisecond

// begin starts the clock and the processes' roles.
func (w *World) begin() {
	w.running, w.begun = true, time.Now()
	w.catchUp()
	for _, f := range w.early {
		f()
	}
	for _, p := range w.payouts {
		w.record(&history.Event{Process: worldName, Kind: history.Info, Op: history.PayoutDue,
			Payout: p.ID, Account: p.Account, Amount: p.Amount, Clock: int64(p.Due)})
	}
	for _, p := range w.processes {
		w.annotate(history.ProcessStarted, p.name)
		p.begin()
	}
}

func (w *World) handle(i item) {
	switch {
	case i.f != nil:
		i.f()
	case i.up.Failed != "":
		w.fail(fmt.Errorf("%s: %s", i.from.name, i.up.Failed))
	case i.up.Lease != nil && w.etcd != nil:
		w.etcd.learn(i.up.Lease)
	case i.up.Event != nil:
		w.sequence(i)
	}
}

// fail ends the run: the world cannot go on. The first reason stands.
func (w *World) fail(err error) {
	if w.failure == nil && err != nil {
		w.failure = err
	}
}

// Err is why the world fell over, or nil. A run that was interrupted is not a failure: it has
// merely ended early.
func (w *World) Err() error {
	if errors.Is(w.failure, context.Canceled) {
		return nil
	}
	return w.failure
}

// sequence takes up what a process recorded and lets it go on. Before an answer is taken up, what
// the stores did up to now is: the answer may have followed from it.
func (w *World) sequence(i item) {
	p, up := i.from, i.up
	if up.Seq <= p.taken && i.generation == p.generation {
		return
	}
	if i.generation == p.generation {
		p.taken = up.Seq
	}
	e := *up.Event
	if e.Kind != history.Invoke {
		w.catchUpFor(&e)
	}
	id := w.record(&e)
	if i.generation != p.generation || !p.up {
		return // it was killed
	}
	if w.course != nil && w.course.hold(heldBack{p: p, generation: i.generation, seq: up.Seq, id: id, step: w.course.last, since: w.Elapsed()}) {
		return
	}
	p.letGo(up.Seq, id)
}

// record appends an event and tells the observers before anybody takes another step.
func (w *World) record(e *history.Event) int64 {
	e.ID = int64(len(w.events)) + 1
	if w.running {
		e.Time = int64(time.Since(w.begun))
	}
	w.events = append(w.events, *e)
	w.progress.see(e)
	if w.etcd != nil {
		w.etcd.keys.see(e)
	}
	if w.assignment != nil {
		w.assignment.see(e)
	}
	if w.options.Trace != nil {
		w.options.Trace(e.ID, e.Time, e.Process+" "+string(e.Op)+" "+e.Kind.String())
	}
	for _, f := range w.observers {
		f(&w.events[e.ID-1])
	}
	if w.course != nil {
		w.course.see(e)
	}
	return e.ID
}

func (w *World) annotate(op history.Op, target string) {
	w.record(&history.Event{Process: worldName, Kind: history.Info, Op: op, Owner: target})
}

// Topology implements sim.World.
func (w *World) Topology() sim.Topology { return w.topology }

// Elapsed implements sim.World.
func (w *World) Elapsed() time.Duration { return time.Since(w.begun) }

// After implements sim.World. A call made before the run counts from its beginning.
func (w *World) After(d time.Duration, f func()) {
	if !w.running {
		w.early = append(w.early, func() { w.After(d, f) })
		return
	}
	time.AfterFunc(d, func() { w.queue.add(item{f: f}) })
}

// Observe implements sim.World.
func (w *World) Observe(f func(*history.Event)) { w.observers = append(w.observers, f) }

// Record implements sim.World.
func (w *World) Record(e history.Event) int64 { return w.record(&e) }

// Pick implements sim.World: the draws of the virtual world.
func (w *World) Pick(purpose string, n uint64) uint64 {
	nth := w.picks[purpose]
	w.picks[purpose]++
	return sched.Keyed(w.options.Seed).Pick(sched.Harness, sched.Place(purpose), nth, n)
}

// Close ends every process and takes away every folder, port and segment of shared memory. It may
// be called twice.
func (w *World) Close() {
	w.closing.Do(func() {
		for _, p := range slices.Backward(w.processes) {
			p.end()
		}
		if w.etcd != nil {
			w.etcd.close()
		}
		for _, d := range []*database{w.paydb, w.lockdb} {
			if d != nil {
				d.close()
			}
		}
		w.mesh.Close()
		w.guard.end()
	})
}
