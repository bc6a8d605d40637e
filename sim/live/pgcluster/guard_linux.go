package pgcluster

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

const supported = true

// detach gives the guard a session of its own: the terminal's signals are for its parent, and a
// dying session would wake paused servers with SIGCONT.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

func init() {
	if text := os.Getenv(guardVariable); text != "" {
		os.Exit(guardMain(text))
	}
}

// guardMain is the whole life of a guard.
func guardMain(text string) int {
	// The server gets a signal when the thread that started it ends, which must not be before the guard.
	runtime.LockOSThread()
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM, syscall.SIGPIPE)
	os.Unsetenv(guardVariable)
	var cfg guardConfig
	if err := json.Unmarshal([]byte(text), &cfg); err != nil {
		fmt.Fprintln(os.Stderr, "guard of a PostgreSQL cluster:", err)
		return 2
	}
	// Backends outlive a killed postmaster; with this they become the guard's children.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		fmt.Fprintln(os.Stderr, "guard of a PostgreSQL cluster:", err)
		return 2
	}
	reaped := make(chan struct{})
	close(reaped)
	running, whole := 0, false
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c command
		err := json.Unmarshal(lines.Bytes(), &c)
		<-reaped
		if err == nil {
			running, err = c.launch()
			whole = c.Whole
		}
		if err != nil {
			fmt.Println("failed", strings.ReplaceAll(err.Error(), "\n", " "))
			continue
		}
		fmt.Println("started", running)
		reaped = make(chan struct{})
		go func(pid int, done chan struct{}) {
			status := reap(pid)
			freeSharedMemory(cfg.Data)
			fmt.Println("exited", status)
			close(done)
		}(running, reaped)
	}
	select {
	case <-reaped:
	default:
		if !whole {
			killTree(running)
		}
		<-reaped
	}
	for _, dir := range cfg.Folders {
		os.RemoveAll(dir)
	}
	return 0
}

// launch starts the program in a session of its own and returns its process id.
func (c command) launch() (int, error) {
	out, err := os.OpenFile(c.Log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return 0, err
	}
	defer out.Close()
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = c.Env, "/", out, out
	// Should the guard itself be killed, the server shuts down at once.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGQUIT}
	if c.User.Other {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(c.User.UID), Gid: uint32(c.User.GID), Groups: []uint32{}}
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	return cmd.Process.Pid, nil
}

// reap waits until pid and every process that it left behind have gone, and says how pid ended.
func reap(pid int) string {
	status := "gone"
	over := false
	for {
		if over {
			for _, left := range children(os.Getpid()) {
				killTree(left)
			}
		}
		var ws syscall.WaitStatus
		got, err := syscall.Wait4(-1, &ws, 0, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return status
		case got == pid:
			over = true
			status = "exit status " + strconv.Itoa(ws.ExitStatus())
			if ws.Signaled() {
				status = "signal " + ws.Signal().String()
			}
		}
	}
}

// freeSharedMemory removes the System V segment that a killed server leaves. Line 7 of
// postmaster.pid has its key and id; a server that shut down has removed the file.
func freeSharedMemory(data string) {
	text, err := os.ReadFile(data + "/postmaster.pid")
	if err != nil {
		return
	}
	lines := strings.Split(string(text), "\n")
	if len(lines) < 7 {
		return
	}
	words := strings.Fields(lines[6])
	if len(words) != 2 {
		return
	}
	if id, err := strconv.Atoi(words[1]); err == nil {
		unix.SysvShmCtl(id, unix.IPC_RMID, nil)
	}
}
