package results

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Files of a run's folder.
const (
	ScenarioFile = "scenario.yaml" // resolved: runs again by itself
	PlanFile     = "plan.yaml"
	HistoryFile  = "history.jsonl"
	EDNFile      = "history.edn"
	VerdictFile  = "verdict.json"
	StoryFile    = "story.txt"
	MetricsFile  = "metrics.json"
	BuildFile    = "build.json"
	TraceFile    = "trace.gz"
)

// Files is the file system as a folder needs it, so that a test can fill the disk.
type Files interface {
	MkdirAll(path string) error
	Mkdir(path string) error // fails with fs.ErrExist
	Create(path string) (io.WriteCloser, error)
	Rename(from, to string) error
	Remove(path string) error
}

// Disk is the real file system.
var Disk Files = disk{}

type disk struct{}

func (disk) MkdirAll(path string) error                 { return os.MkdirAll(path, 0o755) }
func (disk) Mkdir(path string) error                    { return os.Mkdir(path, 0o755) }
func (disk) Create(path string) (io.WriteCloser, error) { return os.Create(path) }
func (disk) Rename(from, to string) error               { return os.Rename(from, to) }
func (disk) Remove(path string) error                   { return os.Remove(path) }

// RunsRoot and SweepsRoot are where folders go when nobody names another place.
var (
	RunsRoot   = filepath.Join("results", "runs")
	SweepsRoot = filepath.Join("results", "sweeps")
)

// Name makes a folder's name from a scenario's and what tells its runs apart. Scenario names come
// from files: whatever could lead elsewhere or hide becomes an underscore.
func Name(scenario, which string) string {
	safe := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, scenario)
	const longest = 80
	return safe[:min(len(safe), longest)] + "-" + which
}

// Folder is a folder being filled. Each file appears whole or not at all: it is written beside
// its place and renamed into it.
type Folder struct {
	Path  string
	files Files
}

// ErrFolder marks every failure to make, read or fill a folder.
var ErrFolder = errors.New("results folder")

// NewFolder makes a new folder base, base-2, base-3, …: the first that is not there yet.
func NewFolder(files Files, base string) (*Folder, error) {
	if err := files.MkdirAll(filepath.Dir(base)); err != nil {
		return nil, folderError("cannot make "+filepath.Dir(base), err)
	}
	path := base
	for n := 2; ; n++ {
		err := files.Mkdir(path)
		if err == nil {
			return &Folder{Path: path, files: files}, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, folderError("cannot make "+path, err)
		}
		path = fmt.Sprintf("%s-%d", base, n)
	}
}

// UseFolder makes exactly path, or takes it when it is there and empty.
func UseFolder(files Files, path string) (*Folder, error) {
	if err := files.MkdirAll(path); err != nil {
		return nil, folderError("cannot make "+path, err)
	}
	if err := Vacant(path); err != nil {
		return nil, err
	}
	return &Folder{Path: path, files: files}, nil
}

// Vacant says why path cannot become a folder by UseFolder, as far as can be told without making
// it. The empty path names nothing and is free.
func Vacant(path string) error {
	if path == "" {
		return nil
	}
	entries, err := os.ReadDir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Writable(path)
	case err != nil:
		return folderError("cannot read "+path, err)
	case len(entries) > 0:
		return fmt.Errorf("%w: %s is not empty: remove it or name another", ErrFolder, path)
	}
	return Writable(path)
}

// Writable says why nothing can be written at path or beneath it, by writing a file to the nearest
// folder above that is there and taking it away again.
func Writable(path string) error {
	for there := filepath.Clean(path); ; there = filepath.Dir(there) {
		probe, err := os.CreateTemp(there, ".dlsim-probe-*")
		if errors.Is(err, fs.ErrNotExist) && there != filepath.Dir(there) {
			continue
		}
		if err != nil {
			return folderError("cannot write to "+there, err)
		}
		return errors.Join(probe.Close(), os.Remove(probe.Name()))
	}
}

// RenewFolder makes path, or takes it as it is: what is written replaces what is there by name.
func RenewFolder(files Files, path string) (*Folder, error) {
	if err := files.MkdirAll(path); err != nil {
		return nil, folderError("cannot make "+path, err)
	}
	return &Folder{Path: path, files: files}, nil
}

// Sub makes a folder inside this one.
func (f *Folder) Sub(name string) (*Folder, error) {
	return NewFolder(f.files, filepath.Join(f.Path, name))
}

// Write fills one file from what write writes. On an error the file is not there, whatever was
// written before stays, and the error says in one line what to do.
func (f *Folder) Write(name string, write func(io.Writer) error) error {
	path := filepath.Join(f.Path, name)
	temp := filepath.Join(f.Path, "."+name+".part")
	file, err := f.files.Create(temp)
	if err != nil {
		return folderError("cannot write "+path, err)
	}
	buffered := bufio.NewWriterSize(file, 1<<16)
	err = write(buffered)
	if err == nil {
		err = buffered.Flush()
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		err = f.files.Rename(temp, path)
	}
	if err != nil {
		_ = f.files.Remove(temp) // it is worth nothing half-written; the first error is the one to tell
		return folderError("cannot write "+path, err)
	}
	return nil
}

// WriteJSON fills one file with v, indented for people.
func (f *Folder) WriteJSON(name string, v any) error {
	return f.Write(name, func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(v)
	})
}

// WriteText fills one file with text.
func (f *Folder) WriteText(name, text string) error {
	return f.Write(name, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// folderError is one line: what failed, why, and what a person can do about it.
func folderError(doing string, err error) error {
	cause := err
	var path *fs.PathError
	if errors.As(err, &path) {
		cause = path.Err
	}
	advice := ""
	switch {
	case diskFull(err):
		advice = ": free some space, or name a folder on another disk with --out; what was written before is kept"
	case errors.Is(err, fs.ErrPermission) && !strings.HasPrefix(doing, "cannot read"):
		advice = ": name a folder you may write to with --out"
	}
	return fmt.Errorf("%w: %s: %w%s", ErrFolder, doing, oneLine{cause}, advice)
}

// oneLine keeps an error's identity and shows it on one line.
type oneLine struct{ error }

func (e oneLine) Error() string { return strings.ReplaceAll(e.error.Error(), "\n", "; ") }
func (e oneLine) Unwrap() error { return e.error }
