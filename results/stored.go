package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"dlsim/history"
)

// WriteHistory writes both forms of the history. It is called before anything is judged, so that
// a checker that fails loses nothing.
func (f *Folder) WriteHistory(events []history.Event) error {
	err := f.Write(HistoryFile, func(w io.Writer) error {
		h := history.NewWriter(w, HistoryFile)
		if err := h.WriteAll(events); err != nil {
			return err
		}
		return h.Close()
	})
	if err != nil {
		return err
	}
	return f.Write(EDNFile, func(w io.Writer) error { return history.WriteEDN(w, events) })
}

// Metrics is metrics.json: the run's numbers without its judgement.
type Metrics struct {
	Events       int                `json:"events"`
	Steps        int64              `json:"steps"`
	VirtualMS    float64            `json:"virtual_ms"`
	WallMS       float64            `json:"wall_ms"`
	Observations map[string]int64   `json:"observations"`
	Measures     map[string]float64 `json:"measures"`
	Coverage     map[string]int64   `json:"coverage"` // what the run exercised: how often
}

// WriteJudged writes what is known once the run is judged.
func (f *Folder) WriteJudged(j *Judgement, m Metrics, story []string) error {
	if err := f.WriteJSON(MetricsFile, m); err != nil {
		return err
	}
	if story != nil {
		if err := f.WriteText(StoryFile, strings.Join(story, "\n")+"\n"); err != nil {
			return err
		}
	}
	return f.WriteJSON(VerdictFile, j)
}

// Stored is a run's folder as it is read back.
type Stored struct {
	Path      string
	Build     Build
	Judgement Judgement
	Events    []history.Event
	Edited    bool // the scenario file is not as the run left it
}

// ReadRun reads a run's folder and refuses one that is not whole.
func ReadRun(path string) (*Stored, error) {
	if _, err := os.ReadDir(path); err != nil {
		return nil, folderError("cannot read "+path, err)
	}
	if _, err := os.Stat(filepath.Join(path, SummaryFile)); err == nil {
		return nil, fmt.Errorf("%w: %s is a sweep's folder: name one of the runs in it", ErrFolder, path)
	}
	s := &Stored{Path: path}
	if err := readJSON(filepath.Join(path, BuildFile), &s.Build); err != nil {
		return nil, err
	}
	if err := readJSON(filepath.Join(path, VerdictFile), &s.Judgement); err != nil {
		return nil, err
	}
	// One that cannot be read is told of by whoever needs it.
	scenario, err := os.ReadFile(filepath.Join(path, ScenarioFile))
	s.Edited = err == nil && s.Build.Scenario != "" && s.Build.Scenario != Digest(scenario)
	if s.Judgement.World == "" {
		return nil, fmt.Errorf("%w: %s is damaged: it names no world", ErrFolder, filepath.Join(path, VerdictFile))
	}
	if s.Events, err = history.ReadFile(filepath.Join(path, HistoryFile)); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFolder, oneLine{err})
	}
	if len(s.Events) != s.Judgement.Events {
		return nil, fmt.Errorf("%w: %s has %d events and %s was made from %d: they are not of one run",
			ErrFolder, filepath.Join(path, HistoryFile), len(s.Events), VerdictFile, s.Judgement.Events)
	}
	return s, nil
}

// ReadSweep reads the summary of a sweep's folder.
func ReadSweep(path string) (*Sweep, error) {
	if _, err := os.ReadDir(path); err != nil {
		return nil, folderError("cannot read "+path, err)
	}
	s := NewSweep("", "", "", "")
	if err := readJSON(filepath.Join(path, SummaryFile), s); err != nil {
		return nil, err
	}
	s.Results = path // the folder may have been moved, from another machine perhaps
	return s, nil
}

func readJSON(path string, into any) error {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s is missing: the folder is of something else, or what made it was cut short", ErrFolder, path)
	}
	if err != nil {
		return folderError("cannot read "+path, err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("%w: %s is damaged: %w", ErrFolder, path, oneLine{err})
	}
	return nil
}
