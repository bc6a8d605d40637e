package live

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"dlsim/sim/live/etcdnode"
	"dlsim/sim/live/host"

	"golang.org/x/sys/unix"
)

// Arguments by which this binary, executed again, knows what it is to be.
const (
	processArgument = "live-process"
	guardArgument   = "live-guard"
)

// Child runs this binary as what the live world has started it for and returns its exit status; ok
// is false when it was started by anybody else. A main function, and a TestMain, asks it first.
func Child(args []string) (status int, ok bool) {
	if len(args) < 2 {
		return 0, false
	}
	switch args[1] {
	case processArgument:
		return host.Main(), true
	case guardArgument:
		return guardMain(args[2:]), true
	case etcdnode.Argument:
		return etcdnode.Main(args[2:]), true
	}
	return 0, false
}

// guard is a process that takes the run's folder away when the harness has gone, however it went.
// The processes need no guard: the kernel kills each with the harness, paused or not.
type guard struct {
	cmd   *exec.Cmd
	stdin io.Closer
	dir   string
}

// runFolder makes a folder that only this user may read, in memory where there is such a place.
func runFolder() (string, error) {
	parent := parentFolder()
	if mb, err := freeMB(parent); err == nil && mb < enoughMB {
		return "", fmt.Errorf("%d MB free in %s, where runs keep their files, and one takes up to %d: make room, or set TMPDIR", mb, parent, enoughMB)
	}
	dir, err := os.MkdirTemp(parent, "dlsim-live-") // mode 0700
	if err == nil {
		err = os.Chmod(dir, 0o711) // PostgreSQL's user finds its clock there, and can read nothing else
	}
	if err != nil {
		return "", fmt.Errorf("make the run's folder: %w", err)
	}
	return dir, nil
}

// enoughMB is what a run can come to take of files.
const enoughMB = 256

// parentFolder is where runs keep their files: in memory, unless that is small, as in a container.
func parentFolder() string {
	const memory = "/dev/shm"
	if mb, err := freeMB(memory); err == nil && mb >= enoughMB {
		return memory
	}
	return os.TempDir()
}

func freeMB(dir string) (uint64, error) {
	var free unix.Statfs_t
	if err := unix.Statfs(dir, &free); err != nil {
		return 0, fmt.Errorf("%s: %w", dir, err)
	}
	return free.Bavail * uint64(free.Bsize) >> 20, nil
}

func newGuard(dir string) (*guard, error) {
	cmd := exec.Command("/proc/self/exe", guardArgument, dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the guard of the run's folder: %w", err)
	}
	return &guard{cmd, stdin, dir}, nil
}

// end removes the folder and lets the guard go.
func (g *guard) end() {
	_ = os.RemoveAll(g.dir)
	g.stdin.Close()
	_ = g.cmd.Wait()
}

// guardMain waits for the harness's end of the pipe to close.
func guardMain(args []string) int {
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM)
	if len(args) != 1 || !strings.Contains(args[0], "dlsim-live-") {
		fmt.Fprintln(os.Stderr, "dlsim: this is started by dlsim and not by hand")
		return 2
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	// The processes may be dying still, and writing into it.
	for range 50 {
		_ = os.RemoveAll(args[0])
		time.Sleep(20 * time.Millisecond)
		if _, err := os.Stat(args[0]); errors.Is(err, os.ErrNotExist) {
			sweepFakeTime()
			return 0
		}
	}
	return 1
}
