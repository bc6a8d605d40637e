package etcdnode

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"syscall"
)

// Argument is the first argument of a binary that is executed to be a node. A main function whose
// package uses Spawn looks for it before anything else and calls Main with the rest.
const Argument = "etcd-node"

// statusFD is where a node reports to its parent.
const statusFD = 3

// Main is a node's process: it serves until its parent closes its standard input, or it is told to
// end. It returns the exit status.
func Main(args []string) int {
	status := os.NewFile(statusFD, "status")
	if status == nil || len(args) != 1 {
		fmt.Fprintln(os.Stderr, "etcdnode: this is started by dlsim and not by hand")
		return 2
	}
	fail := func(err error) int {
		fmt.Fprintln(status, "failed", err)
		return 3
	}
	var c Config
	if err := json.Unmarshal([]byte(args[0]), &c); err != nil {
		return fail(err)
	}
	if len(c.Hosts) > 0 {
		resolve(c.Hosts)
	}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM, syscall.SIGINT)
	left := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(left)
	}()
	n, err := start(c)
	if err != nil {
		return fail(err)
	}
	defer n.Stop()
	fmt.Fprintln(status, "started", n.Client())
	select {
	case <-ended:
	case <-left:
	case err := <-n.server.Err():
		return fail(err)
	}
	return 0
}

// Process is an etcd server in a process of its own. It dies with the one that spawned it, paused
// or not.
type Process struct {
	config Config
	cmd    *exec.Cmd
	stdin  io.Closer
	client string
	failed error
	began  chan struct{} // closed when the server has started or failed
	gone   chan struct{} // closed when the process has ended
	stop   sync.Once
}

// Spawn executes this binary again as a node. It does not wait: see Started and Ready.
func Spawn(c Config) (*Process, error) {
	c = c.withDefaults()
	if err := c.check(); err != nil {
		return nil, err
	}
	text, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("etcdnode: %w", err)
	}
	report, status, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("etcdnode: %w", err)
	}
	defer status.Close()
	p := &Process{config: c, began: make(chan struct{}), gone: make(chan struct{})}
	p.cmd = exec.Command("/proc/self/exe", Argument, string(text))
	p.cmd.ExtraFiles = []*os.File{status} // statusFD
	p.cmd.Env = append(os.Environ(), "GOMAXPROCS=2")
	// A session of its own, so that no signal to this one's group reaches it; and killed with this
	// process, since a closed pipe says nothing to a process that is stopped.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		report.Close()
		return nil, fmt.Errorf("etcdnode: %w", err)
	}
	p.stdin = stdin
	started := make(chan error, 1)
	go p.live(started)
	if err := <-started; err != nil {
		report.Close()
		return nil, fmt.Errorf("etcdnode: execute this binary: %w", err)
	}
	go p.listen(report)
	return p, nil
}

// live stays on one thread from start to end: the kernel kills the child when the thread ends that
// started it.
func (p *Process) live(started chan<- error) {
	runtime.LockOSThread()
	err := p.cmd.Start()
	started <- err
	if err == nil {
		_ = p.cmd.Wait() // how it ended is told by its status line, or by whoever killed it
		close(p.gone)
	}
}

// listen reads what the node reports.
func (p *Process) listen(report io.ReadCloser) {
	defer report.Close()
	lines := bufio.NewScanner(report)
	p.failed = errors.New("the process ended before the server had started")
	if lines.Scan() {
		word, rest, _ := strings.Cut(lines.Text(), " ")
		if word == "started" {
			p.client, p.failed = rest, nil
		} else {
			p.failed = errors.New(rest)
		}
	}
	close(p.began)
	_, _ = io.Copy(io.Discard, report)
}

// Started waits until the node's server has started. It may lack a quorum still.
func (p *Process) Started(ctx context.Context) error {
	select {
	case <-p.began:
	case <-ctx.Done():
		return fmt.Errorf("etcdnode: %s has not started: %w", p.config.Name, ctx.Err())
	}
	if p.failed != nil {
		return fmt.Errorf("etcdnode: %s: %w", p.config.Name, p.failed)
	}
	return nil
}

// Client is the address, host:port, that the server really serves clients at, once started.
func (p *Process) Client() string {
	<-p.began
	return p.client
}

// PID is the process's number.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Ended is closed when the process has ended.
func (p *Process) Ended() <-chan struct{} { return p.gone }

// Signal sends a signal to the process, such as SIGSTOP and SIGCONT.
func (p *Process) Signal(s syscall.Signal) error { return p.cmd.Process.Signal(s) }

// Kill ends the process at once and leaves its data, as a crash does. Restart it with Spawn on the
// same Config.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill() // it may have ended by itself
	<-p.gone
}

// Stop kills the process and removes its data.
func (p *Process) Stop() {
	p.stop.Do(func() {
		p.Kill()
		p.stdin.Close()
		if !p.config.Keep {
			_ = os.RemoveAll(p.config.Dir)
		}
	})
}
