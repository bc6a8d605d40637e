package results

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// full is a disk with room for a number of bytes.
type full struct {
	disk
	room int
}

func TestNothingIsWiderThanTheTerminal(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("words that go on ", 20))
	for _, width := range []int{80, 100} {
		j := &Judgement{Run: Run{Scenario: "x", World: "virtual", Expectation: Met}}
		for _, r := range Rules {
			j.Verdicts = append(j.Verdicts, Verdict{ID: r.ID, Value: "violated", Sentence: long})
		}
		var b strings.Builder
		if err := WriteRun(&b, Style{Width: width}, []string{long}, j, []string{"  13.150 s  " + long}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "\n  13.150 s  words") || !strings.Contains(b.String(), "\n            words") {
			t.Errorf("the story does not hang below its time:\n%s", b.String())
		}
		for line := range strings.Lines(b.String()) {
			if strings.HasSuffix(line, " \n") {
				t.Errorf("blanks end %q", line)
			}
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > width {
				t.Errorf("%d of %d columns: %s", n, width, line)
			}
		}
	}
}

func (f *full) Create(path string) (io.WriteCloser, error) {
	file, err := os.Create(path)
	return &fullFile{file, f}, err
}

type fullFile struct {
	*os.File
	disk *full
}

func (f *fullFile) Write(p []byte) (int, error) {
	if len(p) > f.disk.room {
		n, _ := f.File.Write(p[:f.disk.room])
		f.disk.room = 0
		return n, &os.PathError{Op: "write", Path: f.Name(), Err: syscall.ENOSPC}
	}
	f.disk.room -= len(p)
	return f.File.Write(p)
}

func TestAFullDiskIsOneLineAndKeepsWhatWasWritten(t *testing.T) {
	folder, err := NewFolder(&full{room: 10}, filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	if err := folder.WriteText(HistoryFile, "ten bytes\n"); err != nil {
		t.Fatal(err)
	}
	err = folder.WriteText(StoryFile, "more")
	if !errors.Is(err, ErrFolder) || !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("got %v", err)
	}
	if text := err.Error(); strings.Contains(text, "\n") || !strings.Contains(text, "no space left") || !strings.Contains(text, "kept") {
		t.Errorf("not one line that says what to do: %q", text)
	}
	entries, _ := os.ReadDir(folder.Path)
	if len(entries) != 1 || entries[0].Name() != HistoryFile {
		t.Errorf("the folder holds %v, want the history alone", entries)
	}
}

func TestFoldersNeverShareAName(t *testing.T) {
	base := filepath.Join(t.TempDir(), "runs", "x-1")
	for _, want := range []string{base, base + "-2", base + "-3"} {
		f, err := NewFolder(Disk, base)
		if err != nil || f.Path != want {
			t.Fatalf("got %v %v, want %s", f, err, want)
		}
	}
	f, _ := NewFolder(Disk, base)
	if err := f.WriteText("a", "a"); err != nil {
		t.Fatal(err)
	}
	if _, err := UseFolder(Disk, f.Path); !errors.Is(err, ErrFolder) || !strings.Contains(err.Error(), "not empty") {
		t.Fatalf("a folder in use was taken: %v", err)
	}
	if _, err := UseFolder(Disk, filepath.Join(f.Path, "a")); !errors.Is(err, ErrFolder) {
		t.Fatalf("a file was taken for a folder: %v", err)
	}
	for path, free := range map[string]bool{
		"": true, base + "-5": true, filepath.Join(base+"-5", "deep", "down"): true, f.Path: false, filepath.Join(f.Path, "a", "b"): false,
	} {
		if err := Vacant(path); (err == nil) != free {
			t.Errorf("%s: %v", path, err)
		}
	}
	if left, _ := os.ReadDir(filepath.Dir(base)); len(left) != 4 {
		t.Errorf("to look made something: %v", left)
	}
}

func TestShownTextIsEscaped(t *testing.T) {
	for _, c := range []struct{ in, plain, markdown string }{
		{"plain é 漢", "plain é 漢", "plain é 漢"},
		{"\x1b[31mred", `\x1b[31mred`, `\\x1b\[31mred`},
		{"a\nb\tc", `a\x0ab\x09c`, `a\\x0ab\\x09c`},
		{"\u202eevil\u2028", `\u202eevil\u2028`, `\\u202eevil\\u2028`},
		{"bad\xff", `bad\xff`, `bad\\xff`},
		{"<b>|*_`&", "<b>|*_`&", "&lt;b&gt;\\|\\*\\_\\`&amp;"},
		{"\u009b31m", `\x9b31m`, `\\x9b31m`},
	} {
		if got := Plain(c.in); got != c.plain {
			t.Errorf("Plain(%q) = %q, want %q", c.in, got, c.plain)
		}
		if got := Markdown(c.in); got != c.markdown {
			t.Errorf("Markdown(%q) = %q, want %q", c.in, got, c.markdown)
		}
	}
}

func evilSweep() *Sweep {
	s := NewSweep("<evil>|\x1b[31m", "virtual", "1..4", "")
	s.Seeds, s.Violated["INV-02"], s.FirstSeed["INV-02"] = 4, 1, 3
	s.Coverage["stale | token"] = 2
	s.Expectation, s.Why = NotMet, "INV-02 \"fell\" & <b>"
	s.Kept = []Kept{{Seed: 3, Violated: []string{"INV-02"}, Folder: "3", Story: []string{"once\x00 ]]> upon <a>"}}}
	s.Ratios.Add(1000, 1)
	s.Finish(10)
	return s
}

func TestJUnitIsXMLWhateverTheNames(t *testing.T) {
	var b bytes.Buffer
	if err := WriteJUnit(&b, evilSweep()); err != nil {
		t.Fatal(err)
	}
	var suite junitSuite
	if err := xml.Unmarshal(b.Bytes(), &suite); err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	if suite.Tests != 2 || suite.Failures != 1 || suite.Cases[0].Failure == nil || suite.Cases[1].Out != `once\x00 ]]> upon <a>` {
		t.Errorf("got %+v", suite)
	}
}

func TestMarkdownAndTablesShowNoControlCharacters(t *testing.T) {
	var b bytes.Buffer
	if err := WriteMarkdown(&b, evilSweep()); err != nil {
		t.Fatal(err)
	}
	if err := WriteSweep(&b, Style{Width: 60}, []string{"shows\x1b[0m"}, evilSweep()); err != nil {
		t.Fatal(err)
	}
	j := &Judgement{
		Run:      Run{Scenario: "\x1b[2J", World: "virtual", Expectation: Met, Faults: []Fault{{Kind: "\x07", Target: "t"}}},
		Verdicts: []Verdict{{ID: "INV-02", Value: Violated, Sentence: "\x1b[31m"}},
	}
	if err := WriteRun(&b, Style{}, nil, j, nil); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(b.String(), "\x00\x07\x1b") || strings.Contains(b.String(), "# <evil>") {
		t.Errorf("control characters got through:\n%q", b.String())
	}
}

func TestColourIsOnlyForTerminalsThatWantIt(t *testing.T) {
	j := &Judgement{Run: Run{Expectation: Met}, Verdicts: []Verdict{{ID: "INV-02", Value: Violated}}}
	var plain, coloured bytes.Buffer
	_ = WriteRun(&plain, Style{}, nil, j, nil)
	_ = WriteRun(&coloured, Style{Color: true}, nil, j, nil)
	if strings.Contains(plain.String(), "\x1b") || !strings.Contains(coloured.String(), "\x1b[31mviolated\x1b[0m") {
		t.Errorf("plain %q\ncoloured %q", plain.String(), coloured.String())
	}
}

func TestShardsMergeIntoTheWhole(t *testing.T) {
	shard := func(name string, seed uint64, ratio float64) *Sweep {
		s := NewSweep("x", "virtual", "1..4", name)
		s.Seeds, s.Violated["INV-02"], s.FirstSeed["INV-02"] = 2, 1, seed
		s.Coverage["stale"] = 1
		s.Kept = []Kept{{Seed: seed}}
		s.Ratios.Add(ratio, 1)
		s.Ratios.Add(ratio*2, 1)
		s.Results = name
		s.Finish(100)
		return s
	}
	sum, err := Merge([]*Sweep{shard("1/2", 4, 400), shard("2/2", 3, 100)})
	if err != nil {
		t.Fatal(err)
	}
	if sum.Seeds != 4 || sum.Violated["INV-02"] != 2 || sum.FirstSeed["INV-02"] != 3 || sum.Coverage["stale"] != 2 ||
		sum.Kept[0].Seed != 3 || sum.SeedsPerS != 40 {
		t.Errorf("got %+v", sum)
	}
	if m := sum.VirtualPerWall; m.Median < 195 || m.Median > 205 || m.P10 < 97 || m.P10 > 103 {
		t.Errorf("ratios 100, 200, 400, 800 give %+v", m)
	}
	for _, c := range []struct {
		name string
		a, b Sweep
		want string
	}{
		{"one finding is enough", Sweep{Expectation: NotMet}, Sweep{Expectation: Met}, Met},
		{"what one shard did not exercise another may", Sweep{Expectation: Inconclusive}, Sweep{Expectation: Met}, Met},
		{"every seed must show it", Sweep{Expectation: Met, Every: true}, Sweep{Expectation: NotMet, Every: true}, NotMet},
		{"a breach stands", Sweep{Expectation: Met}, Sweep{Expectation: NotMet, Breached: true}, NotMet},
		{"unknown is never green", Sweep{Expectation: Inconclusive, Unknown: 1}, Sweep{Expectation: Met}, Inconclusive},
	} {
		c.a.Shard, c.b.Shard = "1/2", "2/2"
		sum, err := Merge([]*Sweep{&c.a, &c.b})
		if err != nil || sum.Expectation != c.want {
			t.Errorf("%s: got %v %v", c.name, sum, err)
		}
	}
	for name, bad := range map[string][]*Sweep{
		"nothing":          nil,
		"one shard twice":  {shard("1/2", 1, 1), shard("1/2", 1, 1)},
		"different sweeps": {shard("1/2", 1, 1), NewSweep("y", "virtual", "1..4", "2/2")},
	} {
		if _, err := Merge(bad); err == nil {
			t.Errorf("%s merged", name)
		}
	}
}

func TestTheRunObjectKeepsItsFieldNames(t *testing.T) {
	raw, err := json.Marshal(Run{})
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	_ = json.Unmarshal(raw, &fields)
	for _, want := range []string{"scenario", "seed", "world", "hash", "trace_hash", "events", "virtual_ms", "wall_ms",
		"invariants", "observations", "measures", "faults", "expectation", "results"} {
		if _, ok := fields[want]; !ok {
			t.Errorf("no field %s in %s", want, raw)
		}
	}
}
