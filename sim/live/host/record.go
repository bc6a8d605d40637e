package host

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"dlsim/history"
	"dlsim/sim/live/control"
)

// RecordFile is the file, in the process's folder, of everything the process has recorded.
const RecordFile = "events.jsonl"

// Recorded is one line of it.
type Recorded struct {
	Generation int64         `json:"generation"`
	Seq        int64         `json:"seq"`
	Event      history.Event `json:"event"` // its Time is the machine's monotonic clock
}

// recorder writes each event to the process's own file, then hands it to the harness and waits to
// be let go. So the file is ahead of everything the process does about the event, and the harness's
// order is one that every process's own order and every message between them agrees with.
type recorder struct {
	conn       *control.Conn
	counts     func() control.Counts
	generation int64
	made       atomic.Int64

	mu      sync.Mutex // orders file and socket alike
	file    *os.File
	seq     int64
	waiting map[int64]chan int64 // by seq
}

func newRecorder(folder string, generation int64, conn *control.Conn) (*recorder, error) {
	f, err := os.OpenFile(filepath.Join(folder, RecordFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	return &recorder{conn: conn, file: f, generation: generation, waiting: map[int64]chan int64{}}, nil
}

// record returns the event's place in the history once the harness has let the process go on.
func (r *recorder) record(e history.Event) int64 {
	gone := make(chan int64, 1)
	r.mu.Lock()
	r.seq++
	seq := r.seq
	e.Time = monotonicNow()
	line, err := json.Marshal(Recorded{r.generation, seq, e})
	if err == nil {
		_, err = r.file.Write(append(line, '\n'))
	}
	if err != nil {
		die(fmt.Errorf("write down what happened: %w", err)) // going on unrecorded would be a lie
	}
	r.waiting[seq] = gone
	r.made.Add(1)
	err = r.conn.Send(&control.Up{Seq: seq, Event: &e, Counts: r.counts()})
	r.mu.Unlock()
	if err != nil {
		die(err) // the harness is gone
	}
	return <-gone
}

func (r *recorder) letGo(g *control.Go) {
	r.mu.Lock()
	gone := r.waiting[g.Seq]
	delete(r.waiting, g.Seq)
	r.mu.Unlock()
	if gone != nil {
		gone <- g.ID
	}
}
