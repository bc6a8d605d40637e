package matrix

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"dlsim/results"
)

// entryFile is what a finding leaves for the index of all.
const entryFile = "finding.json"

// entry is a finding's line in the index.
type entry struct {
	Folder string `json:"folder"`
	Title  string `json:"title"`
	Rule   string `json:"rule"`
	Shows  string `json:"shows"`
	Faults int    `json:"faults"`
	Seed   uint64 `json:"seed"`
}

const indexHead = `# Findings

The smallest run found for each variant of the design, and for what the design itself lets through. Each folder has
the scenario, its story, and the command that repeats it. Made by ` + "`dlsim matrix --findings results/findings`" + `.

`

// writeIndex lists every finding below root.
func writeIndex(files results.Files, root string) error {
	var rows [][]string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.Name() != entryFile {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var e entry
		if err := json.Unmarshal(text, &e); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		rows = append(rows, []string{e.Folder, e.Title, e.Rule, e.Shows, strconv.Itoa(e.Faults), strconv.FormatUint(e.Seed, 10)})
		return nil
	})
	if err != nil {
		return fmt.Errorf("%w: %w", results.ErrFolder, err)
	}
	folder, err := results.RenewFolder(files, root)
	if err != nil {
		return err
	}
	return folder.Write("README.md", func(w io.Writer) error {
		if _, err := io.WriteString(w, indexHead); err != nil {
			return err
		}
		return results.MarkdownTable(w, []string{"folder", "what is wrong", "rule", "shows", "faults", "seed"}, rows)
	})
}
