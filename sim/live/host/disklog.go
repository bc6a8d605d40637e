package host

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	system "dlsim/system/host"
)

// diskLog is a durable append-only file, one record a line in base64. A record whose line was not
// finished when the process died was never acknowledged and does not count.
type diskLog struct{ file *os.File }

func openLog(folder, name string) (system.Log, error) {
	if name == "" || strings.ContainsAny(name, "/\x00") {
		return nil, fmt.Errorf("log %q: not a file's name", name)
	}
	f, err := os.OpenFile(filepath.Join(folder, name+".log"), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	l := &diskLog{f}
	return l, l.cutTorn()
}

// cutTorn takes an unfinished last line away, so that the next record begins a line of its own.
func (l *diskLog) cutTorn() error {
	content, err := io.ReadAll(io.NewSectionReader(l.file, 0, 1<<40))
	if err != nil {
		return err
	}
	if whole := strings.LastIndexByte(string(content), '\n') + 1; whole < len(content) {
		return l.file.Truncate(int64(whole))
	}
	return nil
}

// Append makes record durable.
func (l *diskLog) Append(record []byte) error {
	line := append(base64.StdEncoding.AppendEncode(nil, record), '\n')
	if _, err := l.file.Write(line); err != nil {
		return fmt.Errorf("append to %s: %w", l.file.Name(), err)
	}
	if err := l.file.Sync(); err != nil {
		return fmt.Errorf("sync %s: %w", l.file.Name(), err)
	}
	return nil
}

// Records reads the file from its beginning.
func (l *diskLog) Records() ([][]byte, error) {
	var records [][]byte
	in := bufio.NewReader(io.NewSectionReader(l.file, 0, 1<<40))
	for {
		line, err := in.ReadString('\n')
		if err == io.EOF {
			return records, nil
		}
		if err != nil {
			return nil, err
		}
		r, err := base64.StdEncoding.DecodeString(line[:len(line)-1])
		if err != nil {
			return nil, fmt.Errorf("record %d of %s: %w", len(records), l.file.Name(), err)
		}
		records = append(records, r)
	}
}
