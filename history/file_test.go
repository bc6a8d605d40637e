package history

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"olympos.io/encoding/edn"
)

func story() []Event {
	return []Event{
		{ID: 1, Time: 0, Process: "executor-1", Kind: Invoke, Op: LockAcquire, Call: 1, Account: "a1", Owner: "executor-1"},
		{ID: 2, Time: 10, Process: "lockdb", Kind: OK, Op: LockGranted, Truth: true, Account: "a1", Owner: "executor-1", Token: 4, Clock: 100, Expires: 200},
		{ID: 3, Time: 20, Process: "executor-1", Kind: OK, Op: LockAcquire, Call: 1, Account: "a1", Owner: "executor-1", Token: 4},
		{ID: 4, Time: 21, Process: "executor-1", Kind: Invoke, Op: PayoutSubmit, Call: 4, Payout: "p1", Account: "a1", Token: 4, Amount: 7},
		{ID: 5, Time: 22, Process: "executor-1", Kind: Invoke, Op: PayoutClaim, Call: 5, Payout: "p2", Note: `quotes " and <angles> and ünïcode`},
		{ID: 6, Time: 30, Process: "executor-1", Kind: Info, Op: PayoutSubmit, Call: 4, Payout: "p1", Error: "RAIL_AMBIGUOUS"},
		{ID: 7, Time: 31, Process: "executor-1", Kind: Info, Op: PayoutAmbiguous, Payout: "p1"},
		{ID: 8, Time: 32, Process: "executor-1", Kind: Invoke, Op: LockRelease, Call: 8, Account: "a1", Token: 4},
		{ID: 9, Time: 33, Process: "nemesis", Kind: Info, Op: FaultBegun, State: "pause", Owner: "executor-1"},
		{ID: 10, Time: 34, Process: "executor-1", Kind: Fail, Op: LockRelease, Call: 8, Error: "LOCK_LOST"},
	}
}

func written(t *testing.T, events []Event) string {
	t.Helper()
	var buf bytes.Buffer
	w := NewWriter(&buf, "history.jsonl")
	if err := w.WriteAll(events); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

func read(text string) ([]Event, error) {
	return NewReader(strings.NewReader(text), "history.jsonl").ReadAll()
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	full := sample()
	for name, events := range map[string][]Event{"a story": story(), "every field": {full}, "nothing": nil} {
		got, err := read(written(t, events))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !reflect.DeepEqual(got, events) {
			t.Errorf("%s came back different:\n%+v\n%+v", name, got, events)
		}
	}
	path := filepath.Join(t.TempDir(), "history.jsonl")
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WriteAll(story()); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(path); err == nil || !strings.Contains(err.Error(), "cut short") {
		t.Errorf("a file before its end record reads with %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadFile(path); err != nil || len(got) != len(story()) {
		t.Errorf("read %d events, %v", len(got), err)
	}
}

func TestKindsAreWrittenByName(t *testing.T) {
	text := written(t, story())
	for _, want := range []string{`"kind":"invoke"`, `"kind":"ok"`, `"kind":"fail"`, `"kind":"info"`, `<angles>`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

func TestADamagedFileIsRefusedInOneLine(t *testing.T) {
	whole := written(t, story())
	lines := strings.SplitAfter(whole, "\n")
	lines = lines[:len(lines)-1]
	without := func(drop int) string {
		return strings.Join(append(append([]string{}, lines[:drop]...), lines[drop+1:]...), "")
	}
	for name, c := range map[string]struct{ text, want string }{
		"empty file":              {"", "history.jsonl:1: the file ends without its end record"},
		"cut at a line's end":     {strings.Join(lines[:10], ""), "history.jsonl:11: the file ends without its end record"},
		"cut inside a line":       {whole[:len(whole)-30], "history.jsonl:11: the line is cut short"},
		"last newline missing":    {whole[:len(whole)-1], "history.jsonl:11: the line is cut short"},
		"a line lost":             {without(4), "history.jsonl:5: event id 6 where 5 is next"},
		"the last event lost":     {without(9), "history.jsonl:10: the end record counts 10 events, the file has 9"},
		"a value changed":         {strings.Replace(whole, `"token":4`, `"token":5`, 1), "history.jsonl:11: the events hash to"},
		"unknown operation":       {strings.Replace(whole, `"payout.claim"`, `"payout.clam"`, 1), `history.jsonl:5: unknown operation "payout.clam"`},
		"unknown kind":            {strings.Replace(whole, `"kind":"fail"`, `"kind":"failed"`, 1), `history.jsonl:10: unknown kind "failed"`},
		"unknown field":           {strings.Replace(whole, `"time":20`, `"tine":20`, 1), `history.jsonl:3: json: unknown field "tine"`},
		"not JSON":                {"hello\n", "history.jsonl:1: invalid character"},
		"half an object":          {"{\"id\":1\n", "history.jsonl:1: not a whole JSON object"},
		"two objects on one line": {strings.Replace(whole, "}\n", "} {}\n", 1), "history.jsonl:1: more than one JSON value"},
		"text after the end":      {whole + lines[0], "history.jsonl:12: text after the end record"},
		"call from the future":    {strings.Replace(whole, `"call":4`, `"call":9`, 1), "history.jsonl:4: event 4 completes call 9"},
		"no process":              {strings.Replace(whole, `"process":"lockdb"`, `"process":""`, 1), "history.jsonl:2: event 2 names no process"},
		"an end without content":  {"{\"end\":null}\n", "history.jsonl:1: bad end record"},
		"a line without end":      {strings.Repeat("x", maxLine+100_000), "history.jsonl:1: the line is longer than"},
	} {
		events, err := read(c.text)
		if err == nil || events != nil {
			t.Errorf("%s: accepted (%d events)", name, len(events))
			continue
		}
		if !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q, want %q", name, err, c.want)
		}
	}
}

// Every byte matters: no single flipped byte yields a different history without an error.
func TestNoFlippedByteGoesUnnoticed(t *testing.T) {
	whole, want := written(t, story()), story()
	for i := range whole {
		b := []byte(whole)
		b[i] ^= 1
		if got, err := read(string(b)); err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("byte %d flipped (%q): another history was read", i, whole[i])
		}
	}
}

type fullDisk struct{ left int }

func (d *fullDisk) Write(p []byte) (int, error) {
	if len(p) > d.left {
		return 0, errors.New("no space left on device")
	}
	d.left -= len(p)
	return len(p), nil
}

func TestAFullDiskIsReportedWithTheFilesName(t *testing.T) {
	w := NewWriter(&fullDisk{}, "results/run-1/history.jsonl")
	e := sample()
	if err := w.Write(&e); err != nil {
		t.Fatalf("the buffer should have taken it: %v", err)
	}
	const want = "write history results/run-1/history.jsonl: no space left on device"
	if err := w.Flush(); err == nil || err.Error() != want {
		t.Errorf("flush: %v", err)
	}
	if err := w.Write(&e); err == nil || err.Error() != want {
		t.Errorf("a write after the error: %v", err)
	}
	if err := w.Close(); err == nil || err.Error() != want {
		t.Errorf("close: %v", err)
	}
	if err := NewWriter(&fullDisk{}, "results/run-1/history.jsonl").Close(); err == nil || err.Error() != want {
		t.Errorf("close alone: %v", err)
	}
}

func TestAKindOutsideTheFourIsNotWritten(t *testing.T) {
	e := sample()
	e.Kind = 9
	if err := NewWriter(&bytes.Buffer{}, "h").Write(&e); err == nil {
		t.Error("written")
	}
}

func TestOpsListsTheWholeVocabulary(t *testing.T) {
	src, err := os.ReadFile("ops.go")
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), "ops.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	declared := 0
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			if id, ok := v.Type.(*ast.Ident); !ok || id.Name != "Op" {
				continue
			}
			declared++
			if lit := v.Values[0].(*ast.BasicLit); !Op(strings.Trim(lit.Value, `"`)).Known() {
				t.Errorf("%s is missing from Ops", v.Names[0].Name)
			}
		}
	}
	if declared != len(Ops) || declared != len(knownOps) {
		t.Errorf("%d operations declared, %d listed, %d distinct", declared, len(Ops), len(knownOps))
	}
}

func TestEDNReadsAsAJepsenHistory(t *testing.T) {
	var buf bytes.Buffer
	if err := WriteEDN(&buf, story()); err != nil {
		t.Fatal(err)
	}
	type op struct {
		Index   int64               `edn:"index"`
		Time    int64               `edn:"time"`
		Type    edn.Keyword         `edn:"type"`
		Process any                 `edn:"process"`
		F       edn.Keyword         `edn:"f"`
		Value   map[edn.Keyword]any `edn:"value"`
		Error   edn.Keyword         `edn:"error"`
	}
	var got []op
	for _, line := range strings.Split(strings.TrimSpace(buf.String()), "\n") {
		var o op
		if err := edn.UnmarshalString(line, &o); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if o.Index != int64(len(got)) {
			t.Errorf("index %d at place %d", o.Index, len(got))
		}
		got = append(got, o)
	}
	want := []struct {
		typ, f  string
		process any
	}{
		{"invoke", "lock.acquire", int64(0)}, {"ok", "lock.acquire", int64(0)},
		{"invoke", "payout.submit", int64(0)}, {"invoke", "payout.claim", int64(1)},
		{"info", "payout.submit", int64(0)},
		{"invoke", "lock.release", int64(2)}, // 0 is retired by its unknown outcome, 1 is busy
		{"info", "fault.begun", edn.Keyword("nemesis")},
		{"fail", "lock.release", int64(2)},
	}
	if len(got) != len(want) {
		t.Fatalf("%d operations, want %d:\n%s", len(got), len(want), buf.String())
	}
	for i, w := range want {
		if g := got[i]; string(g.Type) != w.typ || string(g.F) != w.f || g.Process != w.process {
			t.Errorf("operation %d is %v %v by %v, want %v", i, g.Type, g.F, g.Process, w)
		}
	}
	if got[1].Value["token"] != int64(4) || got[4].Error != "RAIL_AMBIGUOUS" || got[7].Time != 34 {
		t.Errorf("fields lost:\n%s", buf.String())
	}
	if note := got[3].Value["note"]; note != story()[4].Note {
		t.Errorf("note came back as %q", note)
	}
	if err := WriteEDN(&fullDisk{}, story()); err == nil {
		t.Error("a full disk went unnoticed")
	}
	if err := WriteEDN(&buf, []Event{{ID: 1, Process: "p", Kind: OK, Op: PayoutClaim, Call: 7}}); err == nil {
		t.Error("a completion without its invocation went unnoticed")
	}
}
