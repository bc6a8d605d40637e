package results

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// A trace is the list of a virtual run's steps, one a line, each with the trace hash after it. It
// exists to name the first step that differs when a run is repeated.

// Comparer is a writer that a repeated run's trace is written to. It reads the stored trace along
// and remembers the first line that differs; nothing is kept of the rest.
type Comparer struct {
	stored  *bufio.Reader
	partial []byte // of a line that is not whole yet
	step    int
	diff    *Difference
	err     error // of reading the stored trace
}

// Difference is the first step at which two traces part. A side that had ended is "".
type Difference struct {
	Step           int // from 1
	Stored, Repeat string
}

// String says it in one line each.
func (d *Difference) String() string {
	show := func(s string) string {
		if s == "" {
			return "(nothing more happened)"
		}
		return Plain(s)
	}
	return fmt.Sprintf("the first step that differs is %d\n  stored  %s\n  again   %s", d.Step, show(d.Stored), show(d.Repeat))
}

// NewComparer compares with the gzipped trace in r.
func NewComparer(r io.Reader) (*Comparer, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("not a stored trace: %w", err)
	}
	return &Comparer{stored: bufio.NewReader(z)}, nil
}

// Write takes the next part of the repeated run's trace. It never fails: the run goes on, and
// Result tells.
func (c *Comparer) Write(p []byte) (int, error) {
	n := len(p)
	for c.diff == nil && c.err == nil {
		line, rest, whole := bytes.Cut(p, []byte{'\n'})
		c.partial = append(c.partial, line...)
		if !whole {
			return n, nil
		}
		c.compare(string(c.partial))
		c.partial, p = c.partial[:0], rest
	}
	return n, nil
}

func (c *Comparer) compare(repeat string) {
	c.step++
	stored, err := c.stored.ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = fmt.Errorf("read the stored trace at step %d: %w", c.step, err)
		return
	}
	if stored != "" && stored[len(stored)-1] == '\n' {
		stored = stored[:len(stored)-1]
	}
	if stored != repeat {
		c.diff = &Difference{Step: c.step, Stored: stored, Repeat: repeat}
	}
}

// Result returns the first difference, or nil when both traces are the same. Call it when the
// repeated run has ended.
func (c *Comparer) Result() (*Difference, error) {
	if len(c.partial) > 0 && c.diff == nil && c.err == nil {
		c.compare(string(c.partial))
		c.partial = nil
	}
	if c.diff != nil || c.err != nil {
		return c.diff, c.err
	}
	stored, err := c.stored.ReadString('\n')
	switch {
	case stored != "":
		return &Difference{Step: c.step + 1, Stored: string(bytes.TrimSuffix([]byte(stored), []byte{'\n'}))}, nil
	case errors.Is(err, io.EOF):
		return nil, nil
	}
	return nil, fmt.Errorf("read the stored trace at step %d: %w", c.step+1, err)
}
