package pgcluster

import (
	"os"
	"time"
)

// stopBound is how long Stop waits before it kills.
const stopBound = 20 * time.Second

// PID is the postmaster's process id, 0 while the server is down.
func (c *Cluster) PID() int {
	if !c.Running() {
		return 0
	}
	return c.running.pid
}

// PIDs are the postmaster and its children, none while the server is down.
func (c *Cluster) PIDs() []int {
	if !c.Running() {
		return nil
	}
	return append([]int{c.running.pid}, children(c.running.pid)...)
}

// Running says whether the postmaster lives. One that died by itself counts as down once its
// children have gone, too.
func (c *Cluster) Running() bool {
	if c.running == nil {
		return false
	}
	select {
	case <-c.running.exited:
		c.running = nil
		return false
	default:
		return true
	}
}

// Stop shuts the server down in PostgreSQL's mode "fast": sessions are ended, everything
// committed is written. The data stays for Restart. Stopping a stopped cluster does nothing.
func (c *Cluster) Stop() {
	if !c.Running() {
		return
	}
	c.Resume()
	interrupt(c.running.pid)
	select {
	case <-c.running.exited:
	case <-time.After(stopBound):
		c.Kill()
	}
	c.running = nil
}

// Kill ends every process of the server at once, as a power cut would. The data stays for
// Restart.
func (c *Cluster) Kill() {
	if !c.Running() {
		return
	}
	killTree(c.running.pid)
	<-c.running.exited
	c.running = nil
}

// Pause stops every process of the server where it is; connections stay open and are not served.
func (c *Cluster) Pause() {
	if c.Running() {
		pauseTree(c.running.pid)
	}
}

// Resume lets a paused server go on.
func (c *Cluster) Resume() {
	if c.Running() {
		resumeTree(c.running.pid)
	}
}

// Close kills the server and removes the cluster's folder. It may be called twice.
func (c *Cluster) Close() {
	c.Kill()
	c.guard.end()
	os.RemoveAll(c.root)
	os.RemoveAll(c.sock)
}
