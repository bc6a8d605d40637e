package virtual

import (
	"dlsim/sim/virtual/sched"
	system "dlsim/system/host"
)

// diskLog is a durable append-only file of one machine. It outlives the process.
type diskLog struct {
	name    string
	records [][]byte
}

// logHandle is the log opened by one incarnation of the process.
type logHandle struct {
	h   *host
	log *diskLog
}

func (h *host) Log(name string) (system.Log, error) {
	h.enter()
	for _, l := range h.logs {
		if l.name == name {
			return logHandle{h, l}, nil
		}
	}
	l := &diskLog{name: name}
	h.logs = append(h.logs, l)
	return logHandle{h, l}, nil
}

// Append is durable from the moment it takes effect; the caller learns of it a flush later and
// may die or be paused in between.
func (l logHandle) Append(record []byte) error {
	t := l.h.enter()
	l.log.records = append(l.log.records, append([]byte(nil), record...))
	t.Sleep(l.h.w.sched.Now() + l.h.w.flushTime(l.h.node))
	t.Alive()
	return nil
}

// Records copies nothing: records are never changed once written.
func (l logHandle) Records() ([][]byte, error) {
	l.h.enter()
	return l.log.records, nil
}

// flushTime draws how long a write takes to reach the disk.
func (w *World) flushTime(n *sched.Node) int64 {
	return 50_000 + int64(n.Draw(sched.Flush, 400_000))
}
