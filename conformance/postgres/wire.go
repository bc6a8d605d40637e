package postgres

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/sys/unix"
)

// conn is one session of the real server. It is driven by hand, without goroutines: many sessions
// are watched by one poll, and a session that the server reports as waiting is left alone.
type conn struct {
	file    *os.File
	fd      int32
	pid     int32
	in      []byte
	out     []byte
	rows    strings.Builder
	problem string

	busy    bool      // a statement was sent and has not ended
	waiting bool      // the server said that it waits for a lock, since the statement was sent or went on
	stopped bool      // the backend is held by SIGSTOP
	since   time.Time // when a statement was sent, or the backend let go on
	gone    bool      // the server closed the connection
	answer  Answer    // of the last statement, once it has ended
}

// dial connects and takes the socket over.
func dial(ctx context.Context, dsn string, settings map[string]string) (*conn, error) {
	cfg, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	for name, value := range settings {
		cfg.RuntimeParams[name] = value
	}
	pg, err := pgconn.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	h, err := pg.Hijack()
	if err != nil {
		return nil, err
	}
	socket, ok := h.Conn.(*net.UnixConn)
	if !ok {
		return nil, fmt.Errorf("connect through a socket, not %T", h.Conn)
	}
	file, err := socket.File() // a duplicate
	socket.Close()
	if err != nil {
		return nil, err
	}
	c := &conn{file: file, fd: int32(file.Fd()), pid: int32(h.PID)}
	return c, unix.SetNonblock(int(c.fd), true)
}

func (c *conn) close() {
	c.resume()
	c.file.Close()
}

// stop and resume hold the backend and let it go on.
func (c *conn) stop() {
	if !c.stopped && !c.gone {
		unix.Kill(int(c.pid), unix.SIGSTOP)
		c.stopped = true
	}
}

func (c *conn) resume() {
	if c.stopped {
		c.since = time.Now()
		unix.Kill(int(c.pid), unix.SIGCONT)
		c.stopped = false
	}
}

func (c *conn) message(kind byte, body ...[]byte) {
	n := 4
	for _, b := range body {
		n += len(b)
	}
	c.out = append(c.out, kind)
	c.out = binary.BigEndian.AppendUint32(c.out, uint32(n))
	for _, b := range body {
		c.out = append(c.out, b...)
	}
}

// send starts a statement.
func (c *conn) send(sql string, args []Arg) error {
	c.out = c.out[:0]
	text := append([]byte(sql), 0)
	if args == nil {
		c.message('Q', text)
	} else {
		c.message('P', []byte{0}, text, []byte{0, 0})
		bind := []byte{0, 0, 0, 0} // no portal's name, no statement's name, all parameters as text
		bind = binary.BigEndian.AppendUint16(bind, uint16(len(args)))
		for _, a := range args {
			w := a.wire()
			if w == nil {
				bind = binary.BigEndian.AppendUint32(bind, 0xffffffff)
				continue
			}
			bind = binary.BigEndian.AppendUint32(bind, uint32(len(w)))
			bind = append(bind, w...)
		}
		c.message('B', bind, []byte{0, 0})
		c.message('E', []byte{0, 0, 0, 0, 0})
		c.message('S')
	}
	c.busy, c.waiting, c.since = true, false, time.Now()
	c.rows.Reset()
	c.problem = ""
	_, err := unix.Write(int(c.fd), c.out)
	if errors.Is(err, unix.EPIPE) {
		err = nil // the server has closed it; its last words are still there to read
	}
	return err
}

// read takes in what has arrived, without waiting.
func (c *conn) read() error {
	var buf [16384]byte
	for !c.gone {
		n, err := unix.Read(int(c.fd), buf[:])
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.EAGAIN:
			return c.parse()
		case err == unix.ECONNRESET || err == nil && n == 0:
			if err := c.parse(); err != nil {
				return err
			}
			c.gone = true
			if c.busy || c.problem != "" {
				c.finish(0)
			}
		case err != nil:
			return err
		}
		c.in = append(c.in, buf[:max(n, 0)]...)
	}
	return nil
}

var (
	stillWaits = regexp.MustCompile(`^process \d+ still waiting for .* after ([\d.]+) ms$`)
	instant    = regexp.MustCompile(`20(2[6-9]|[3-9]\d)-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00`)
)

// parse handles every whole message in the buffer.
func (c *conn) parse() error {
	for len(c.in) >= 5 {
		n := int(binary.BigEndian.Uint32(c.in[1:])) + 1
		if len(c.in) < n {
			return nil
		}
		kind, body := c.in[0], c.in[5:n]
		switch kind {
		case 'D':
			c.row(body)
		case 'C':
			c.rows.WriteString(cString(body))
		case 'E':
			f := fields(body)
			c.problem = f['S'] + " " + f['C'] + ": " + f['M']
		case 'N':
			c.notice(fields(body)['M'])
		case 'Z':
			c.finish(body[0])
		}
		c.in = c.in[n:]
	}
	return nil
}

// notice learns from the server's log that the statement waits. A backend may say so twice of one
// wait, when something wakes it for nothing; what is left of that after the wait must not be taken
// for the next one, which has yet to look for a deadlock.
func (c *conn) notice(text string) {
	m := stillWaits.FindStringSubmatch(text)
	if m == nil {
		return
	}
	waited, err := time.ParseDuration(m[1] + "ms")
	c.waiting = c.waiting || err == nil && waited <= time.Since(c.since)
}

func (c *conn) finish(status byte) {
	text := c.rows.String()
	if c.problem != "" {
		text = c.problem
	}
	c.answer = Answer{Text: mask(text), Status: status}
	c.busy, c.waiting = false, false
}

// mask hides instants of today, which differ between the model's clock and the server's.
func mask(text string) string { return instant.ReplaceAllString(text, "<now>") }

func (c *conn) row(body []byte) {
	n := int(binary.BigEndian.Uint16(body))
	body = body[2:]
	c.rows.WriteByte('(')
	for i := range n {
		if i > 0 {
			c.rows.WriteString(", ")
		}
		size := int32(binary.BigEndian.Uint32(body))
		body = body[4:]
		if size < 0 {
			c.rows.WriteString("null")
			continue
		}
		c.rows.Write(body[:size])
		body = body[size:]
	}
	c.rows.WriteString(") ")
}

func cString(b []byte) string {
	text, _, _ := strings.Cut(string(b), "\x00")
	return text
}

// fields are those of an ErrorResponse or a NoticeResponse.
func fields(body []byte) map[byte]string {
	out := map[byte]string{}
	for len(body) > 1 {
		text := cString(body[1:])
		out[body[0]] = text
		body = body[len(text)+2:]
	}
	return out
}

// stuck bounds every wait for the server.
const stuck = 20 * time.Second

// await reads from the connections until one of them has something, at most d.
func await(conns []*conn, d time.Duration) (bool, error) {
	fds := make([]unix.PollFd, len(conns))
	for i, c := range conns {
		fds[i] = unix.PollFd{Fd: c.fd, Events: unix.POLLIN}
	}
	n, err := unix.Poll(fds, int(d.Milliseconds()))
	if err == unix.EINTR {
		return true, nil
	}
	if err != nil || n == 0 {
		return false, err
	}
	for i, c := range conns {
		if fds[i].Revents != 0 {
			if err := c.read(); err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// settle waits until the statement has ended or the server says that it waits for a lock.
func (c *conn) settle() error {
	end := time.Now().Add(stuck)
	for c.busy && !c.waiting {
		if _, err := await([]*conn{c}, time.Second); err != nil {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("a statement neither ends nor waits after %v", stuck)
		}
	}
	return nil
}

// finished waits until the statement has ended.
func (c *conn) finished(d time.Duration) (bool, error) {
	end := time.Now().Add(d)
	for c.busy {
		left := time.Until(end)
		if left <= 0 {
			return false, nil
		}
		if _, err := await([]*conn{c}, left+time.Millisecond); err != nil {
			return false, err
		}
	}
	return true, nil
}

// run runs a statement to its end and fails if the server does.
func (c *conn) run(sql string) (string, error) {
	if err := c.send(sql, nil); err != nil {
		return "", err
	}
	done, err := c.finished(stuck)
	switch {
	case err != nil:
		return "", err
	case !done:
		return "", fmt.Errorf("no answer after %v to %s", stuck, sql)
	case c.problem != "":
		return "", fmt.Errorf("%s: %s", sql, c.problem)
	}
	return c.answer.Text, nil
}
