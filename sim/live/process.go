package live

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"dlsim/sim/live/control"
	"dlsim/sim/live/host"
)

// process is one process of the system, over all its starts.
type process struct {
	w          *World
	name, role string
	folder     string
	listen     string
	setup      control.Setup

	// As of the present start.
	generation int64
	cmd        *exec.Cmd
	conn       *control.Conn
	serving    chan error    // told once
	exited     chan struct{} // closed when the process has ended
	drained    chan struct{} // closed when all that it sent has been queued
	taken      int64         // the last record taken up
	up         bool
	pauses     int

	coming sync.WaitGroup // starts beside the loop

	clock  control.Clock
	orders control.Orders
	show   *control.Show // nil where the work is not assigned

	mu      sync.Mutex
	counts  control.Counts // as last heard
	past    control.Counts // of starts that are over
	answers map[int64]chan control.Counts
}

// start executes this binary as the process and waits until it could begin.
func (p *process) start() error {
	if err := p.spawn(); err != nil {
		return fmt.Errorf("start %s: %w", p.name, err)
	}
	return p.await(p.serving)
}

// await waits until the process could begin.
func (p *process) await(serving <-chan error) error {
	select {
	case err := <-serving:
		if err != nil {
			return fmt.Errorf("start %s: %w", p.name, err)
		}
		return nil
	case <-time.After(startBound):
		return fmt.Errorf("start %s: it did not come up within %v", p.name, startBound)
	}
}

func (p *process) spawn() error {
	conn, theirs, err := control.Pair()
	if err != nil {
		return err
	}
	defer theirs.Close()
	log, err := os.OpenFile(filepath.Join(p.folder, "stderr"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		conn.Close()
		return err
	}
	defer log.Close()
	cmd := exec.Command("/proc/self/exe", processArgument, p.name)
	cmd.Stderr = log
	cmd.ExtraFiles = []*os.File{theirs} // control.FD
	cmd.Env = append(os.Environ(), "GOMAXPROCS=2")
	// A session of its own, so that no signal to this one's group reaches it; and killed with the
	// harness, which works on a stopped process, too.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	started, exited := make(chan error, 1), make(chan struct{})
	go func() {
		// The kernel kills the child when the thread ends that started it.
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // how it ended is known to whoever ended it, or told by Failed
			close(exited)
		}
	}()
	if err := <-started; err != nil {
		conn.Close()
		return err
	}
	p.generation++
	p.cmd, p.conn, p.exited, p.taken, p.up = cmd, conn, exited, 0, true
	p.serving, p.drained = make(chan error, 1), make(chan struct{})
	p.mu.Lock()
	p.answers = map[int64]chan control.Counts{}
	p.mu.Unlock()
	setup := p.setup
	setup.Generation, setup.Clock, setup.Orders, setup.Show = p.generation, p.clock, p.orders, p.show
	go p.receive(conn, p.generation, p.serving, p.drained)
	return conn.Send(&control.Down{Setup: &setup})
}

// receive queues what the process sends until its end of the socket is closed and read empty.
func (p *process) receive(conn *control.Conn, generation int64, serving chan<- error, drained chan<- struct{}) {
	defer close(drained)
	for {
		up := new(control.Up)
		if err := conn.Receive(up); err != nil {
			select {
			case serving <- errors.New("it ended: " + p.lastWords()):
			default:
			}
			return
		}
		p.mu.Lock()
		if up.Failed == "" {
			p.counts = up.Counts
		}
		answer := p.answers[up.Answer]
		delete(p.answers, up.Answer)
		p.mu.Unlock()
		switch {
		case up.Serving != "":
			serving <- nil
		case up.Answer != 0:
			if answer != nil {
				answer <- up.Counts
			}
		case up.Failed != "" && generation == 1 && len(serving) == 0:
			serving <- errors.New(up.Failed)
			p.w.queue.add(item{from: p, generation: generation, up: up})
		default:
			p.w.queue.add(item{from: p, generation: generation, up: up})
		}
	}
}

// lastWords is what the process wrote on its standard error last.
func (p *process) lastWords() string {
	text, err := os.ReadFile(filepath.Join(p.folder, "stderr"))
	if err != nil || len(text) == 0 {
		return "it said nothing"
	}
	return strings.TrimSpace(string(text[max(0, len(text)-800):]))
}

// tell sends the process a message. A process that is gone hears nothing, and that is all.
func (p *process) tell(d *control.Down) {
	if p.up {
		_ = p.conn.Send(d)
	}
}

func (p *process) begin() { p.tell(&control.Down{Begin: true}) }

func (p *process) letGo(seq, id int64) { p.tell(&control.Down{Go: &control.Go{Seq: seq, ID: id}}) }

// askBound is how long a process that runs may take to answer.
const askBound = 2 * time.Second

// ask has the process count; ok is false when it is down, paused, or does not answer.
func (p *process) ask() (c control.Counts, ok bool) {
	if !p.up || p.pauses > 0 {
		return c, false
	}
	p.w.nextID++
	id := p.w.nextID
	answer := make(chan control.Counts, 1)
	p.mu.Lock()
	p.answers[id] = answer
	p.mu.Unlock()
	p.tell(&control.Down{Ask: id})
	select {
	case c = <-answer:
		return c, true
	case <-p.exited:
	case <-time.After(askBound):
	}
	return c, false
}

// counted is what the process has done over all its starts, as last heard.
func (p *process) counted() control.Counts {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.counts
	c.Reads += p.past.Reads
	c.Records += p.past.Records
	c.Served += p.past.Served
	return c
}

// obeyed is how often the process has asked for an order, over all its starts.
func (p *process) obeyed(order int64) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.counts.Obeyed[order] + p.past.Obeyed[order]
}

// kill ends the process at once and takes up all that it had written down: what reached the socket,
// and what only reached its file. It returns when the process is gone.
func (p *process) kill() {
	if !p.up {
		return
	}
	_ = p.cmd.Process.Kill()
	<-p.exited
	<-p.drained
	p.up, p.pauses = false, 0
	p.conn.Close()
	p.mu.Lock()
	p.past.Reads += p.counts.Reads
	p.past.Records += p.counts.Records
	p.past.Served += p.counts.Served
	for id, n := range p.counts.Obeyed {
		if p.past.Obeyed == nil {
			p.past.Obeyed = map[int64]int64{}
		}
		p.past.Obeyed[id] += n
	}
	p.counts = control.Counts{}
	p.mu.Unlock()
}

// takeUp puts into the history what the dead process had written down and nobody has taken up.
func (p *process) takeUp() {
	for _, i := range p.w.queue.of(p) {
		p.w.handle(i)
	}
	written, err := p.written()
	if err != nil {
		p.w.fail(fmt.Errorf("%s: read what it wrote down: %w", p.name, err))
		return
	}
	for i := range written {
		if r := &written[i]; r.Generation == p.generation && r.Seq > p.taken {
			p.w.handle(item{from: p, generation: r.Generation, up: &control.Up{Seq: r.Seq, Event: &r.Event}})
		}
	}
}

// written reads the process's own file. A last line that was not finished is an event of which
// nothing followed.
func (p *process) written() ([]host.Recorded, error) {
	f, err := os.Open(filepath.Join(p.folder, host.RecordFile))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []host.Recorded
	lines := bufio.NewReader(f)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return all, nil
		}
		var r host.Recorded
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, err
		}
		all = append(all, r)
	}
}

// signal sends s and waits until it has taken effect.
func (p *process) signal(s syscall.Signal) error {
	if err := p.cmd.Process.Signal(s); err != nil {
		return err
	}
	for range 2000 {
		state := stateOf(p.cmd.Process.Pid)
		if stopped := state == 'T'; state == 0 || stopped == (s == syscall.SIGSTOP) {
			return nil
		}
		time.Sleep(50 * time.Microsecond)
	}
	return fmt.Errorf("%s did not obey %v", p.name, s)
}

// stateOf is the letter of a process's state, 0 when it is gone.
func stateOf(pid int) byte {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	rest := text[strings.LastIndexByte(string(text), ')')+1:]
	if len(rest) < 2 {
		return 0
	}
	return rest[1]
}

func (p *process) end() {
	p.kill()
	p.coming.Wait()
}
