package matrix

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"dlsim/results"
)

// Files of a matrix's folder.
const (
	JSONFile     = "matrix.json"
	MarkdownFile = "matrix.md"
)

var columns = []string{"variant", "violated", "observed", "confirmed", "seeds", "p90", "faults", "control"}

func (r *Row) cells() []string {
	faults, seeds, late := "", "", ""
	if r.Faults >= 0 {
		faults = strconv.Itoa(r.Faults)
	}
	if r.SeedsMedian > 0 {
		seeds, late = strconv.Itoa(r.SeedsMedian), strconv.Itoa(r.SeedsP90)
	}
	confirmed := "yes"
	switch {
	case r.Why != "":
		confirmed = "NO"
	case r.Refuted != "":
		confirmed = "refuted"
	}
	return []string{r.Name, short(r.Violated), strings.Join(r.Observed, " "), confirmed, seeds, late, faults, r.Control}
}

// short lists invariants by their numbers.
func short(ids []string) string {
	numbers := make([]string, len(ids))
	for i, id := range ids {
		numbers[i] = strings.TrimPrefix(id, "INV-")
	}
	return strings.Join(numbers, " ")
}

func (m *Matrix) rows() [][]string {
	var rows [][]string
	for _, r := range m.Variants {
		rows = append(rows, r.cells())
	}
	return rows
}

// notes are a line for each row that needs one.
func (m *Matrix) notes() []string {
	var notes []string
	for _, r := range m.Variants {
		switch {
		case r.Why != "":
			notes = append(notes, r.Name+": NOT as the table says: "+r.Why)
		case r.Refuted != "":
			notes = append(notes, r.Name+": refuted: "+r.Refuted)
		}
		if r.Control != Clean && r.Control != NoControl {
			notes = append(notes, r.Name+": the control shows "+r.Control)
		}
	}
	return notes
}

func (m *Matrix) summary() string {
	s := fmt.Sprintf("%d of %d hypotheses confirmed, %d searches each, in %.0f s", m.Confirmed, len(m.Variants), m.Searches, m.WallMS/1000)
	if m.Interrupted {
		s += "; interrupted: only the finished rows are here"
	}
	return s
}

// WriteText shows the matrix to a person.
func (m *Matrix) WriteText(w io.Writer, style results.Style) error {
	if err := results.WriteTable(w, style, columns, m.rows()); err != nil {
		return err
	}
	var b strings.Builder
	b.WriteByte('\n')
	for _, n := range m.notes() {
		fmt.Fprintln(&b, results.Plain(n))
	}
	fmt.Fprintln(&b, m.summary())
	if m.Results != "" {
		fmt.Fprintf(&b, "results  %s\n", results.Plain(m.Results))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteMarkdown writes the matrix for a page.
func (m *Matrix) WriteMarkdown(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "# Variants\n\n%s.\n\n", m.summary()); err != nil {
		return err
	}
	if err := results.MarkdownTable(w, columns, m.rows()); err != nil {
		return err
	}
	if notes := m.notes(); len(notes) > 0 {
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
		for _, n := range notes {
			if _, err := fmt.Fprintf(w, "- %s\n", results.Markdown(n)); err != nil {
				return err
			}
		}
	}
	_, err := io.WriteString(w, "\nseeds: the median number until everything was found; p90: of nine searches in ten; faults: in the smallest run that shows the first claim.\n")
	return err
}

// Write leaves the matrix in a folder.
func (m *Matrix) Write(folder *results.Folder) error {
	m.Results = folder.Path
	if err := folder.WriteJSON(JSONFile, m); err != nil {
		return err
	}
	return folder.Write(MarkdownFile, m.WriteMarkdown)
}

// WriteFindings leaves the smallest runs below root, each variant's in a folder of its name that is
// made anew, and an index of all that are there, those of earlier runs included.
func (m *Matrix) WriteFindings(files results.Files, root string) error {
	for _, r := range m.Variants {
		if len(r.findings) == 0 {
			continue
		}
		if err := os.RemoveAll(filepath.Join(root, r.Name)); err != nil {
			return fmt.Errorf("%w: %w", results.ErrFolder, err)
		}
		for _, f := range r.findings {
			if err := f.Write(files, root); err != nil {
				return err
			}
		}
	}
	return writeIndex(files, root)
}
