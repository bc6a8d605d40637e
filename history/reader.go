package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// maxLine bounds one line of a history file, in bytes.
const maxLine = 1 << 20

// Reader reads what Writer wrote and refuses anything that is not whole. Each error is one line,
// "name:line: what is wrong".
type Reader struct {
	name  string
	in    *bufio.Reader
	line  int64
	count int64
	hash  Hasher
	err   error
}

// NewReader reads from r; name is what errors call it.
func NewReader(r io.Reader, name string) *Reader {
	return &Reader{name: name, in: bufio.NewReaderSize(r, 64<<10), hash: NewHasher()}
}

// ReadFile reads the whole history at path.
func ReadFile(path string) ([]Event, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err // it names the file
	}
	defer f.Close()
	return NewReader(f, path).ReadAll()
}

// ReadAll reads every event. It returns no events with an error.
func (r *Reader) ReadAll() ([]Event, error) {
	var events []Event
	for {
		var e Event
		switch err := r.Next(&e); {
		case errors.Is(err, io.EOF):
			return events, nil
		case err != nil:
			return nil, err
		}
		events = append(events, e)
	}
}

// Next reads one event into e. It returns io.EOF only after a valid end record that nothing follows.
func (r *Reader) Next(e *Event) error {
	if r.err != nil {
		return r.err
	}
	r.err = r.next(e)
	return r.err
}

func (r *Reader) next(e *Event) error {
	line, err := r.readLine()
	if err != nil {
		return err
	}
	*e = Event{}
	if bytes.HasPrefix(line, []byte(`{"end"`)) {
		return r.end(line)
	}
	if err := decodeStrict(line, e); err != nil {
		return r.refuse("%s", err)
	}
	switch {
	case !e.Op.Known():
		return r.refuse("unknown operation %q", string(e.Op))
	case e.ID != r.count+1:
		return r.refuse("event id %d where %d is next", e.ID, r.count+1)
	case e.Call < 0 || e.Call > e.ID:
		return r.refuse("event %d completes call %d, which is not before it", e.ID, e.Call)
	case e.Process == "":
		return r.refuse("event %d names no process", e.ID)
	}
	r.count++
	r.hash.Add(e)
	return nil
}

func (r *Reader) end(line []byte) error {
	var rec endRecord
	if err := decodeStrict(line, &rec); err != nil {
		return r.refuse("bad end record: %s", err)
	}
	switch sum := hexHash(r.hash.Sum()); {
	case rec.End == nil:
		return r.refuse("bad end record: it says nothing")
	case rec.End.Events != r.count:
		return r.refuse("the end record counts %d events, the file has %d", rec.End.Events, r.count)
	case rec.End.Hash != sum:
		return r.refuse("the events hash to %s, the end record says %s: the file was changed", sum, rec.End.Hash)
	}
	if _, err := r.in.ReadByte(); err == nil {
		r.line++
		return r.refuse("text after the end record")
	} else if !errors.Is(err, io.EOF) {
		return fmt.Errorf("read history %s: %w", r.name, err)
	}
	return io.EOF
}

func (r *Reader) readLine() ([]byte, error) {
	r.line++
	var long []byte
	for {
		part, err := r.in.ReadSlice('\n')
		switch {
		case err == nil && long == nil:
			return part[:len(part)-1], nil
		case err == nil:
			long = append(long, part...)
			return long[:len(long)-1], nil
		case errors.Is(err, io.EOF) && len(part)+len(long) == 0:
			return nil, r.refuse("the file ends without its end record: it was cut short")
		case errors.Is(err, io.EOF):
			return nil, r.refuse("the line is cut short: no newline ends it")
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, fmt.Errorf("read history %s: %w", r.name, err)
		}
		if long = append(long, part...); len(long) > maxLine {
			return nil, r.refuse("the line is longer than %d bytes", maxLine)
		}
	}
}

func (r *Reader) refuse(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", r.name, r.line, fmt.Sprintf(format, args...))
}

// decodeStrict wants exactly one JSON value with no field that v has not.
func decodeStrict(line []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return errors.New("not a whole JSON object")
		}
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one JSON value on the line")
	}
	return nil
}
