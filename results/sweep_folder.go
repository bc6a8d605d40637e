package results

import "io"

// Files of a sweep's folder, beside one folder for each kept run.
const (
	SummaryFile  = "summary.json"
	MarkdownFile = "summary.md"
	JUnitFile    = "junit.xml"
)

// KeptRuns is how many violating runs a sweep keeps: the first in the order of seeds.
const KeptRuns = 20

// WriteSweep writes a sweep's summary in all its forms.
func (f *Folder) WriteSweep(s *Sweep) error {
	if err := f.WriteJSON(SummaryFile, s); err != nil {
		return err
	}
	if err := f.Write(MarkdownFile, func(w io.Writer) error { return WriteMarkdown(w, s) }); err != nil {
		return err
	}
	return f.Write(JUnitFile, func(w io.Writer) error { return WriteJUnit(w, s) })
}
