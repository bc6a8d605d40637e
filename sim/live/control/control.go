// Package control is how the harness and a process of the live world speak: one message a line of
// JSON over a socket pair that the process inherits. Nobody else can reach it.
package control

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"dlsim/history"
	"dlsim/sim"
	"dlsim/system/config"
)

// FD is the file descriptor of the process's end.
const FD = 3

// Down is a message of the harness to a process. One field is set.
type Down struct {
	Setup  *Setup  `json:"setup,omitempty"`  // the first message
	Begin  bool    `json:"begin,omitempty"`  // the run begins: start the role
	Go     *Go     `json:"go,omitempty"`     // the answer to a record
	Clock  *Clock  `json:"clock,omitempty"`  // how the clocks stand from now on
	Direct *Orders `json:"direct,omitempty"` // the standing instructions from now on
	Act    *Act    `json:"act,omitempty"`    // of the operator
	Show   *Show   `json:"show,omitempty"`   // what an executor sees of the work from now on
	Ask    int64   `json:"ask,omitempty"`    // answered by Up.Answer with the same number
}

// Up is a message of a process to the harness.
type Up struct {
	Serving string         `json:"serving,omitempty"` // host:port listened on, after Setup
	Seq     int64          `json:"seq,omitempty"`     // of the record in Event, from 1
	Event   *history.Event `json:"event,omitempty"`
	Lease   *Lease         `json:"lease,omitempty"`  // what was learnt of an etcd lease
	Answer  int64          `json:"answer,omitempty"` // to Ask
	Failed  string         `json:"failed,omitempty"` // why the process cannot go on
	Counts  Counts         `json:"counts"`           // as of this message
}

// Setup is all that a process needs to know.
type Setup struct {
	Name       string            `json:"name"`
	Role       string            `json:"role"`
	Seed       uint64            `json:"seed"`
	Generation int64             `json:"generation"` // counts the starts of this process, from 1
	System     config.Config     `json:"system"`
	Payouts    []sim.Payout      `json:"payouts,omitempty"`    // for the intake
	Show       *Show             `json:"show,omitempty"`       // to an executor, where the work is assigned
	Credential string            `json:"credential,omitempty"` // for the rail and the proxies
	Listen     string            `json:"listen"`               // host:port to listen on; port 0 lets the kernel pick
	Folder     string            `json:"folder"`               // its own, for its record and its logs
	Peers      map[string]string `json:"peers"`                // address of each server, by name
	Databases  map[string]string `json:"databases"`            // DSN of each PostgreSQL store
	Etcd       []string          `json:"etcd,omitempty"`       // host:port of each node
	Clock      Clock             `json:"clock"`
	Orders     Orders            `json:"orders"`
}

// Go lets the process go on after a record.
type Go struct {
	Seq int64 `json:"seq"`
	ID  int64 `json:"id"` // the event's place in the history
}

// Show is what an executor is to see of the work: one payout, none, or all.
type Show struct {
	Payout string `json:"payout,omitempty"`
	All    bool   `json:"all,omitempty"`
}

// Clock is the state of a process's pair of clocks.
type Clock struct {
	Offset   time.Duration `json:"offset"` // what steps have added to the wall clock
	DriftPPM int64         `json:"drift_ppm"`
}

// Orders are standing instructions, the newest first.
type Orders []Order

// Order is one standing instruction.
type Order struct {
	ID    int64  `json:"id"`
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Act is one thing for the operator to do.
type Act struct {
	Act        sim.OperatorAct `json:"act"`
	Payout     string          `json:"payout"`
	Credential string          `json:"credential,omitempty"` // for this one act
}

// Counts say what a process has done so far, since its start.
type Counts struct {
	Reads   int64           `json:"reads"`            // of a clock
	Busy    int64           `json:"busy"`             // requests being served now
	Served  int64           `json:"served"`           // requests that arrived
	Obeyed  map[int64]int64 `json:"obeyed,omitempty"` // by Order.ID: how often it was asked for
	Records int64           `json:"records"`          // records made
}

// Lease is a change of an etcd lease as the client that asked for it saw it.
type Lease struct {
	ID      int64         `json:"id"`
	TTL     time.Duration `json:"ttl"`
	Renewed bool          `json:"renewed,omitempty"` // rather than granted
}

// Conn is one end of the socket pair. Send may be called from anywhere; Receive from one place.
type Conn struct {
	conn net.Conn
	in   *bufio.Reader
	mu   sync.Mutex
	out  []byte
}

// Pair makes a socket pair: our end, and the file to hand to the process.
func Pair() (*Conn, *os.File, error) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("socket pair: %w", err)
	}
	ours, err := open(os.NewFile(uintptr(fds[0]), "control"))
	if err != nil {
		syscall.Close(fds[1])
		return nil, nil, err
	}
	return ours, os.NewFile(uintptr(fds[1]), "control"), nil
}

// Inherited is the end that this process was started with.
func Inherited() (*Conn, error) {
	f := os.NewFile(FD, "control")
	if f == nil {
		return nil, errors.New("this is started by dlsim and not by hand")
	}
	return open(f)
}

func open(f *os.File) (*Conn, error) {
	defer f.Close()
	c, err := net.FileConn(f)
	if err != nil {
		return nil, fmt.Errorf("control socket: %w", err)
	}
	return &Conn{conn: c, in: bufio.NewReaderSize(c, 64<<10)}, nil
}

// Send writes one message.
func (c *Conn) Send(message any) error {
	line, err := json.Marshal(message)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out = append(append(c.out[:0], line...), '\n')
	_, err = c.conn.Write(c.out)
	return err
}

// Receive reads the next message; io.EOF when the other end is gone.
func (c *Conn) Receive(message any) error {
	line, err := c.in.ReadBytes('\n')
	if err != nil {
		if errors.Is(err, syscall.ECONNRESET) {
			return io.EOF
		}
		return err
	}
	return json.Unmarshal(line, message)
}

// Close closes this end.
func (c *Conn) Close() error { return c.conn.Close() }
