package pgcluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// walSegment is the size of a file of the log, as initdb was told.
const walSegment = 1 << 20

// Lying are the settings of a server whose log can be cut with CutLog: nothing that follows from the
// end of the log may have reached the data files, so no checkpoint comes by itself and nobody writes
// pages ahead of one.
var Lying = map[string]string{
	"bgwriter_lru_maxpages": "0",
	"checkpoint_timeout":    "1h",
	"max_wal_size":          "4GB",
	"shared_buffers":        "64MB",
}

// CutLog takes from a killed server's log everything from a position on, as pg_current_wal_insert_lsn
// tells it: what a disk does that said it had written and had not. The next Restart recovers to there,
// and commits after that are gone, acknowledged or not. The server must run with the settings Lying.
func (c *Cluster) CutLog(position int64) error {
	if c.Running() {
		return errors.New("the log of a running server cannot be cut")
	}
	dir := filepath.Join(c.data, "pg_wal")
	files, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("cut the log: %w", err)
	}
	const perLog = (1 << 32) / walSegment
	segment := position / walSegment
	// Names are timeline, log and segment, eight hex digits each.
	first := fmt.Sprintf("%08X%08X", segment/perLog, segment%perLog)
	for _, f := range files {
		name := f.Name()
		if len(name) != 24 || strings.Trim(name, "0123456789ABCDEF") != "" || name[8:] < first {
			continue
		}
		path := filepath.Join(dir, name)
		if name[8:] > first {
			err = os.Remove(path)
		} else {
			err = zeroFrom(path, position%walSegment)
		}
		if err != nil {
			return fmt.Errorf("cut the log: %w", err)
		}
	}
	return nil
}

func zeroFrom(path string, offset int64) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(make([]byte, walSegment-offset), offset)
	return errors.Join(err, f.Close())
}
