package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// endRecord is the last line of a file. Without it a file cut at the end of a line would look
// whole, and a run that crashed half way would be judged as if it had ended well.
type endRecord struct {
	End *endMark `json:"end"`
}

type endMark struct {
	Events int64  `json:"events"`
	Hash   string `json:"hash"` // of the history, 16 hex digits
}

func hexHash(h uint64) string { return fmt.Sprintf("%016x", h) }

// Writer writes a history as JSON lines, one event a line, and an end record last. The first
// error sticks: whatever is written after it is dropped and every call returns that error.
type Writer struct {
	name  string
	out   *bufio.Writer
	file  *os.File // nil when the Writer was given an io.Writer
	line  bytes.Buffer
	enc   *json.Encoder
	hash  Hasher
	count int64
	err   error
}

// Create starts a history file at path, replacing what is there.
func Create(path string) (*Writer, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("create history: %w", err)
	}
	w := NewWriter(f, path)
	w.file = f
	return w, nil
}

// NewWriter writes to w; name is what errors call it.
func NewWriter(w io.Writer, name string) *Writer {
	h := &Writer{name: name, out: bufio.NewWriterSize(w, 64<<10), hash: NewHasher()}
	h.enc = json.NewEncoder(&h.line)
	h.enc.SetEscapeHTML(false)
	return h
}

// Write appends one event. It is on disk no sooner than Flush or Close says so.
func (w *Writer) Write(e *Event) error {
	if w.err != nil {
		return w.err
	}
	w.line.Reset()
	if err := w.enc.Encode(e); err != nil {
		return w.fail(err)
	}
	if _, err := w.out.Write(w.line.Bytes()); err != nil {
		return w.fail(err)
	}
	w.hash.Add(e)
	w.count++
	return nil
}

// WriteAll appends events and returns the first error.
func (w *Writer) WriteAll(events []Event) error {
	for i := range events {
		if err := w.Write(&events[i]); err != nil {
			return err
		}
	}
	return nil
}

// Flush hands everything written so far to the operating system.
func (w *Writer) Flush() error {
	if w.err != nil {
		return w.err
	}
	if err := w.out.Flush(); err != nil {
		return w.fail(err)
	}
	return nil
}

// Close writes the end record, flushes, makes the file durable and closes it. A history without
// its end record is refused by Reader.
func (w *Writer) Close() error {
	if w.err == nil {
		w.line.Reset()
		if err := w.enc.Encode(endRecord{&endMark{w.count, hexHash(w.hash.Sum())}}); err != nil {
			w.fail(err)
		} else if _, err := w.out.Write(w.line.Bytes()); err != nil {
			w.fail(err)
		}
	}
	w.Flush()
	if w.file != nil {
		if w.err == nil {
			if err := w.file.Sync(); err != nil {
				w.fail(err)
			}
		}
		if err := w.file.Close(); err != nil && w.err == nil {
			w.fail(err)
		}
		w.file = nil
	}
	return w.err
}

func (w *Writer) fail(err error) error {
	w.err = fmt.Errorf("write history %s: %w", w.name, err)
	return w.err
}
