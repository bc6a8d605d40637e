package virtual

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"syscall"

	"dlsim/sim/virtual/sched"
)

// call is one HTTP request and its reply, on a connection of its own. It is the handler's response
// writer too. Its buffers are kept from run to run.
type call struct {
	wire       wire
	req        *http.Request
	asked      []byte // the request's body
	sent       body   // as the handler reads it
	waiting    parked // the client's task
	generation uint32 // the server's, when the request was sent

	served  *vctx        // the request's context at the server, from arrival on
	handled http.Request // as the handler has it
	run     func()       // handle, made once for the memory and kept from run to run
	open    bool         // at the server: arrived and not answered
	told    bool         // the server knows that the client has gone
	left    bool         // the client has gone: timed out, cancelled or died

	status   int
	header   http.Header
	answer   []byte
	received body // the answer as the client reads it
	response http.Response
	done     bool
	err      error
}

// newCall takes a call from the cache, its buffers empty.
func (w *World) newCall() *call {
	c := w.cache.calls.Used()
	if c.run == nil {
		c.header, c.run = http.Header{}, c.handle
	}
	clear(c.header)
	*c = call{run: c.run, asked: c.asked[:0], header: c.header, answer: c.answer[:0]}
	return c
}

// transport is a process's http.RoundTripper.
type transport struct{ h *host }

var (
	errRefused = &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	errReset   = &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
)

// RoundTrip carries req to the process its URL names. Errors are the network's own: connection
// refused, reset, or the context's.
func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	h := t.h
	task := h.enter()
	ctx := req.Context()
	c := h.w.newCall()
	if err := c.take(req); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	server := h.w.machines[req.URL.Host]
	if server == nil {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: req.URL.Host, IsNotFound: true}}
	}
	c.generation = server.node.Generation()
	c.wire = h.w.net.wire(h.machine, server)
	c.waiting = parked{task, task.Turn()}
	h.calls = append(h.calls, c)
	h.w.net.send(c, &c.wire, request, nil)
	err := park(task, ctx)
	h.calls = forget(h.calls, c)
	task.Alive()
	if !c.done && c.err == nil { // the context ended first
		c.left = true
		h.w.net.send(c, &c.wire, leave, nil)
		return nil, err
	}
	if c.err != nil {
		return nil, c.err
	}
	h.leave(task)
	c.received.Buffer = *bytes.NewBuffer(c.answer)
	c.response = http.Response{
		Status: http.StatusText(c.status), StatusCode: c.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: c.header, Body: &c.received, ContentLength: int64(len(c.answer)), Request: req,
	}
	return &c.response, nil
}

// take reads the request's body, as a transport must before it returns.
func (c *call) take(req *http.Request) error {
	c.req = req
	if req.Body == nil || req.Body == http.NoBody {
		return nil
	}
	defer req.Body.Close()
	if n := req.ContentLength; n > 0 {
		c.asked = slices.Grow(c.asked, int(n))[:n]
		_, err := io.ReadFull(req.Body, c.asked)
		return err
	}
	var err error
	c.asked, err = io.ReadAll(req.Body)
	return err
}

// body is a message's bytes as the receiver reads them.
type body struct{ bytes.Buffer }

// Close does nothing: there is no connection to give back.
func (*body) Close() error { return nil }

func forget[T comparable](list []T, x T) []T {
	for i, y := range list {
		if x == y {
			return append(list[:i], list[i+1:]...)
		}
	}
	return list
}

func (c *call) arrive(m *message) {
	switch m.kind {
	case request:
		c.serve()
	case leave:
		c.cancelServed()
	case response:
		c.finish(nil)
	case refuse:
		if err, ok := m.payload.(error); ok {
			c.finish(err)
			return
		}
		c.finish(errReset)
	}
}

func (c *call) broken(m *message) {
	if m.kind.toServer() {
		c.cancelServed()
	}
	c.finish(errReset)
}

// finish ends the client's wait; the first end counts.
func (c *call) finish(err error) {
	if c.left || c.done || c.err != nil {
		return
	}
	c.done, c.err = err == nil, err
	c.waiting.task.Resume(c.waiting.turn)
}

func (c *call) cancelServed() {
	c.told = true
	if c.served != nil && c.open {
		c.served.cancel(context.Canceled)
	}
}

// serve runs the server's handler in a task of its own.
func (c *call) serve() {
	p := c.wire.server
	net := p.w.net
	if !p.node.Up() || p.handler == nil {
		net.send(c, &c.wire, refuse, errRefused)
		return
	}
	if c.generation != p.node.Generation() && c.left {
		// The connection belonged to a process that is gone. A client that still waits had its
		// connection attempt repeated and reaches the new process; one that left did not.
		return
	}
	c.open = true
	c.served = p.newContext(context.Background())
	if c.told {
		c.served.err = context.Canceled
	}
	p.serving = append(p.serving, c)
	p.node.Run(c.req.URL.Path, c.run)
}

// handle has the server's handler answer the request, and sends what it wrote.
func (c *call) handle() {
	p := c.wire.server
	c.sent.Buffer = *bytes.NewBuffer(c.asked)
	r := &c.handled
	*r = *c.req.WithContext(c.served)
	r.Body, r.ContentLength = &c.sent, int64(len(c.asked))
	r.Proto, r.ProtoMajor, r.ProtoMinor = "HTTP/1.1", 1, 1
	r.Host, r.RequestURI, r.RemoteAddr = c.req.URL.Host, c.req.URL.RequestURI(), c.wire.client.name
	p.handler.ServeHTTP(c, r)
	p.w.sched.Current().Alive()
	c.open = false
	p.serving = forget(p.serving, c)
	c.served.cancel(context.Canceled) // as net/http does when the handler returns
	if c.status == 0 {
		c.status = http.StatusOK
	}
	if !c.left {
		p.w.net.send(c, &c.wire, response, nil)
	}
}

// Header is of the answer, which travels as one message when the handler returns.
func (c *call) Header() http.Header { return c.header }

// WriteHeader sets the status, once.
func (c *call) WriteHeader(status int) {
	if c.status == 0 {
		c.status = status
	}
}

// Write adds to the answer's body.
func (c *call) Write(p []byte) (int, error) {
	c.WriteHeader(http.StatusOK)
	c.answer = append(c.answer, p...)
	return len(p), nil
}

// clientGone and serverGone are called when a machine is killed: its kernel closes the sockets.
func (c *call) clientGone() {
	if c.left {
		return
	}
	c.left = true
	c.wire.client.w.net.send(c, &c.wire, leave, nil)
}

func (c *call) serverGone() {
	c.open = false
	c.wire.server.w.net.send(c, &c.wire, refuse, errReset)
}

var _ sched.Target = (*message)(nil)
