package results

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Style says what the reader's terminal can do.
type Style struct {
	Color bool
	Width int // columns; 0 does not wrap
}

// WriteRun shows one run to a person. about is what the scenario says of itself, story may be empty.
func WriteRun(w io.Writer, style Style, about []string, j *Judgement, story []string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, seed %d, %s world\n", Plain(j.Scenario), j.Seed, j.World)
	style.about(&b, about)

	t := style.table("invariant", "verdict", "because")
	for _, v := range j.Verdicts {
		t.AppendRow(table.Row{v.ID + " " + RuleOf(v.ID).Name, style.verdict(v.Value), Plain(v.Sentence)})
	}
	section(&b, t)
	if len(j.Faults) > 0 {
		t = style.table("fault", "target", "bit", "note")
		for _, f := range j.Faults {
			t.AppendRow(table.Row{Plain(f.Kind), Plain(f.Target), yes(f.Bit), Plain(f.Note)})
		}
		section(&b, t)
	}
	if len(j.Observations)+len(j.Measures) > 0 {
		t = style.table("observation or measure", "value")
		for _, k := range slices.Sorted(maps.Keys(j.Observations)) {
			t.AppendRow(table.Row{Plain(k), j.Observations[k]})
		}
		for _, k := range slices.Sorted(maps.Keys(j.Measures)) {
			if j.Measures[k] != 0 { // there are many, and zero is what most of them are
				t.AppendRow(table.Row{Plain(k), number(j.Measures[k])})
			}
		}
		section(&b, t)
	}
	if len(story) > 0 {
		style.story(&b, story)
	}

	fmt.Fprintf(&b, "\nexpectation  %s\n", explained(style.expectation(j.Expectation), j.Why))
	fmt.Fprintf(&b, "history      %d events in %.3f s of the world's time; the run took %.1f ms\n", j.Events, j.VirtualMS/1000, j.WallMS)
	if j.Hash != "" {
		fmt.Fprintf(&b, "hashes       history %s, trace %s\n", j.Hash, j.TraceHash)
	}
	if j.Results != "" {
		fmt.Fprintf(&b, "results      %s\n", Plain(j.Results))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteSweep shows a sweep to a person.
func WriteSweep(w io.Writer, style Style, about []string, s *Sweep) error {
	var b strings.Builder
	shard := ""
	if s.Shard != "" {
		shard = ", shard " + s.Shard
	}
	fmt.Fprintf(&b, "%s, seeds %s%s, %s world\n", Plain(s.Scenario), Plain(s.Range), shard, s.World)
	style.about(&b, about)
	t := style.table("invariant", "violated", "unknown", "first seed")
	for _, r := range Rules {
		first := ""
		if seed, ok := s.FirstSeed[r.ID]; ok {
			first = fmt.Sprint(seed)
		}
		t.AppendRow(table.Row{r.ID + " " + r.Name, s.Violated[r.ID], s.UnknownOf[r.ID], first})
	}
	section(&b, t)
	if len(s.Observed)+len(s.Coverage) > 0 {
		t = style.table("seen or exercised", "seeds")
		for _, counts := range []map[string]int{s.Observed, s.Coverage} {
			for _, k := range slices.Sorted(maps.Keys(counts)) {
				t.AppendRow(table.Row{Plain(k), counts[k]})
			}
		}
		section(&b, t)
	}
	if len(s.Kept) > 0 && len(s.Kept[0].Story) > 0 {
		style.story(&b, s.Kept[0].Story)
	}
	fmt.Fprintf(&b, "\nexpectation  %s\n", explained(style.expectation(s.Expectation), s.Why))
	fmt.Fprintf(&b, "seeds        %d finished in %.1f s: %.0f seeds/s, %.0f events/s\n", s.Seeds, s.WallMS/1000, s.SeedsPerS, s.EventsPerS)
	fmt.Fprintf(&b, "time         virtual is %.0f times the wall, %.0f in the slowest tenth\n", s.VirtualPerWall.Median, s.VirtualPerWall.P10)
	if s.Interrupted {
		b.WriteString("interrupted  only the finished seeds are counted\n")
	}
	if s.Results != "" {
		fmt.Fprintf(&b, "results      %s\n", Plain(s.Results))
		if len(s.Kept) > 0 && s.Kept[0].Folder != "" {
			fmt.Fprintf(&b, "kept         the first %s; repeat one: dlsim replay %s\n",
				plural(len(s.Kept), "violated run"), Plain(filepath.Join(s.Results, s.Kept[0].Folder)))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteList shows names with what they show.
func WriteList(w io.Writer, style Style, rows [][2]string) error {
	t := style.table("scenario", "what it shows")
	for _, r := range rows {
		t.AppendRow(table.Row{Plain(r[0]), Plain(r[1])})
	}
	_, err := io.WriteString(w, render(t)+"\n")
	return err
}

// WriteTable shows rows under columns; the last column takes what the terminal's width leaves.
func WriteTable(w io.Writer, style Style, columns []string, rows [][]string) error {
	header := make([]any, len(columns))
	for i, c := range columns {
		header[i] = c
	}
	t := style.table(header...)
	for _, cells := range rows {
		row := make(table.Row, len(cells))
		for i, c := range cells {
			row[i] = Plain(c)
		}
		t.AppendRow(row)
	}
	_, err := io.WriteString(w, render(t)+"\n")
	return err
}

// MarkdownTable writes the same as Markdown.
func MarkdownTable(w io.Writer, columns []string, rows [][]string) error {
	var b strings.Builder
	line := func(cells []string) {
		for _, c := range cells {
			b.WriteString("| " + c + " ")
		}
		b.WriteString("|\n")
	}
	line(columns)
	b.WriteString(strings.Repeat("| --- ", len(columns)) + "|\n")
	for _, cells := range rows {
		escaped := make([]string, len(cells))
		for i, c := range cells {
			escaped[i] = Markdown(c)
		}
		line(escaped)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func section(b *strings.Builder, t table.Writer) {
	fmt.Fprintf(b, "\n%s\n", render(t))
}

// render draws a table without the blanks that pad its lines' ends.
func render(t table.Writer) string {
	lines := strings.Split(t.Render(), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n")
}

// table starts a table whose last column takes what the terminal's width leaves.
func (s Style) table(columns ...any) table.Writer {
	t := table.NewWriter()
	style := table.StyleLight
	style.Format.Header = text.FormatDefault
	style.Options = table.OptionsNoBordersAndSeparators
	t.SetStyle(style)
	t.AppendHeader(columns)
	if s.Width > 0 {
		t.SetColumnConfigs([]table.ColumnConfig{{
			Number: len(columns), WidthMax: max(20, s.Width-21*(len(columns)-1)), WidthMaxEnforcer: text.WrapSoft,
		}})
	}
	return t
}

func (s Style) about(b *strings.Builder, about []string) {
	for _, a := range about {
		if a != "" {
			fmt.Fprintf(b, "%s\n", s.fold(Plain(a), 0))
		}
	}
}

// story shows a story; a line too long for the terminal goes on below its own text, not its time.
func (s Style) story(b *strings.Builder, lines []string) {
	b.WriteByte('\n')
	for _, l := range plainAll(lines) {
		hang := 2
		if strings.HasPrefix(l, "  ") {
			hang = len("  13.150 s  ")
		}
		b.WriteString(s.fold(l, hang) + "\n")
	}
}

// fold breaks a line between words where the terminal ends; what follows hangs in by some blanks.
func (s Style) fold(line string, hang int) string {
	var b strings.Builder
	for room := s.Width; s.Width > 2*hang && text.StringWidth(line) > room; room = s.Width - hang {
		at := -1 // the last blank that leaves what is before it within the room
		for i, width := 0, 0; i < len(line) && width <= room; {
			r, size := utf8.DecodeRuneInString(line[i:])
			if r == ' ' && strings.TrimSpace(line[:i]) != "" {
				at = i
			}
			i, width = i+size, width+text.RuneWidth(r)
		}
		if at < 0 {
			break // one long word
		}
		b.WriteString(strings.TrimRight(line[:at], " ") + "\n" + strings.Repeat(" ", hang))
		line = strings.TrimLeft(line[at:], " ")
	}
	return b.String() + line
}

// plural counts things whose plural ends in s.
func plural(n int, thing string) string {
	if n == 1 {
		return thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func (s Style) paint(c text.Color, word string) string {
	if !s.Color {
		return word
	}
	return text.Colors{c}.EscapeSeq() + word + text.Reset.EscapeSeq()
}

func (s Style) verdict(value string) string {
	switch value {
	case Holds:
		return s.paint(text.FgGreen, value)
	case Violated:
		return s.paint(text.FgRed, value)
	case Unknown:
		return s.paint(text.FgYellow, value)
	}
	return value
}

func (s Style) expectation(value string) string {
	switch value {
	case Met:
		return s.paint(text.FgGreen, value)
	case NotMet:
		return s.paint(text.FgRed, value)
	}
	return s.paint(text.FgYellow, value)
}

func explained(value, why string) string {
	if why == "" {
		return value
	}
	return value + ": " + Plain(why)
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// number shows a measure without a tail of noise.
func number(f float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.3f", f), "0"), ".")
}
