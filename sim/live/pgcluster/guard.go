package pgcluster

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
)

// guardVariable makes this binary a guard; its value is a guardConfig.
const guardVariable = "DLSIM_POSTGRES_GUARD"

type guardConfig struct {
	Folders []string // removed when the guard's parent has gone
	Data    string   // for the shared memory that a killed server leaves
}

// command is one program to start, sent to the guard as one line of JSON.
type command struct {
	Path string
	Args []string
	Env  []string
	Log  string // where its output goes
	User credential
	// Whole programs are left to end by themselves: initdb, killed halfway, leaves shared memory under
	// names that nobody knows.
	Whole bool
}

// guard is this process's end of a guard. The guard answers a command with "started pid" or
// "failed reason", and says "exited status" when the program and all it left behind have gone.
type guard struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	answers chan string
	gone    chan struct{}

	mu      sync.Mutex
	current *postmaster
}

// postmaster is one program that a guard runs. status is set once exited is closed.
type postmaster struct {
	pid    int
	exited chan struct{}
	status string
}

func newGuard(cfg guardConfig) (*guard, error) {
	if !supported {
		return nil, errors.New("private PostgreSQL clusters need Linux")
	}
	text, err := json.Marshal(cfg)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), guardVariable+"="+string(text))
	cmd.Dir = "/"
	cmd.Stderr = os.Stderr
	detach(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the guard of a PostgreSQL cluster: %w", err)
	}
	g := &guard{cmd: cmd, in: in, answers: make(chan string, 1), gone: make(chan struct{})}
	go g.listen(out)
	return g, nil
}

func (g *guard) listen(out io.Reader) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		what, rest, _ := strings.Cut(lines.Text(), " ")
		switch what {
		case "started":
			pid, err := strconv.Atoi(rest)
			if err != nil {
				continue
			}
			g.mu.Lock()
			g.current = &postmaster{pid: pid, exited: make(chan struct{})}
			g.mu.Unlock()
			g.answers <- ""
		case "failed":
			g.answers <- rest
		case "exited":
			g.finish(rest)
		}
	}
	_ = g.cmd.Wait() // its status tells nothing
	g.finish("the guard has gone")
	close(g.gone)
}

func (g *guard) finish(status string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.current != nil {
		g.current.status = status
		close(g.current.exited)
		g.current = nil
	}
}

// start runs one program; the one before must have ended.
func (g *guard) start(c command) (*postmaster, error) {
	line, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	if _, err := g.in.Write(append(line, '\n')); err != nil {
		return nil, fmt.Errorf("tell the guard: %w", err)
	}
	select {
	case problem := <-g.answers:
		if problem != "" {
			return nil, errors.New(problem)
		}
	case <-g.gone:
		return nil, errors.New("the guard has gone")
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.current == nil { // it ended at once
		done := make(chan struct{})
		close(done)
		return &postmaster{exited: done, status: "ended at once"}, nil
	}
	return g.current, nil
}

// end lets the guard go, and with it whatever it runs.
func (g *guard) end() {
	g.in.Close()
	<-g.gone
}
