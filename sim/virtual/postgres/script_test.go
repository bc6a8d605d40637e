package postgres

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/jackc/pgx/v5/pgconn"
)

func (w *world) sortedNames() []string {
	var names []string
	for name := range w.sessions {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func formatResult(res *Result, err error) string {
	var pe *pgconn.PgError
	switch {
	case errors.As(err, &pe):
		return pe.Severity + " " + pe.Code + ": " + pe.Message
	case err != nil:
		return "error: " + err.Error()
	}
	var b strings.Builder
	for _, row := range res.Rows {
		b.WriteString("(" + formatRow(row) + ") ")
	}
	return b.String() + res.Tag.String()
}

func (w *world) status(name string) string {
	s := w.sessions[name]
	t := w.tasks[s]
	if t.done {
		return t.result
	}
	if t.flush {
		return "waits for the disk"
	}
	var by []string
	for _, o := range s.blockedBy() {
		if n := w.names[o]; !slices.Contains(by, n) {
			by = append(by, n)
		}
	}
	return "blocks on " + strings.Join(by, ", ")
}

func (w *world) step(b *strings.Builder, line string) {
	name, text, _ := strings.Cut(line, ": ")
	if !strings.Contains(line, ": ") {
		w.command(b, line)
		w.report(b, w.settle())
		return
	}
	s := w.sessions[name]
	if s == nil {
		var err error
		if s, err = w.connect(name); err != nil {
			fmt.Fprintf(b, "%s\n  %s\n", line, formatResult(nil, err))
			return
		}
	}
	if t := w.tasks[s]; t != nil && !t.done {
		fmt.Fprintf(b, "%s\n  still waits\n", line)
		return
	}
	sql, args := splitArgs(text)
	w.start(s, sql, args)
	fmt.Fprintf(b, "%s\n  %s\n", line, w.status(name))
	w.report(b, w.settle())
}

func (w *world) report(b *strings.Builder, finished []string) {
	for _, n := range finished {
		fmt.Fprintf(b, "  %s wakes: %s\n", n, w.tasks[w.sessions[n]].result)
	}
}

func (w *world) connect(name string) (*Session, error) {
	srv, on := w.srv, strings.TrimSuffix(name, "@standby")
	if on != name {
		srv = w.standby
	}
	s, err := srv.Connect()
	if err != nil {
		return nil, err
	}
	w.sessions[name], w.names[s] = s, name
	return s, nil
}

// splitArgs reads "sql | int:5 text:abc null".
func splitArgs(text string) (string, []any) {
	sql, list, ok := strings.Cut(text, " | ")
	if !ok {
		return text, nil
	}
	var args []any
	for _, word := range strings.Fields(list) {
		kind, v, _ := strings.Cut(word, ":")
		switch kind {
		case "int":
			n, err := strconv.ParseInt(v, 10, 64)
			if err != nil {
				panic(err)
			}
			args = append(args, n)
		case "text":
			args = append(args, v)
		case "ints":
			list := []int64{}
			for _, part := range strings.Split(v, ",") {
				n, err := strconv.ParseInt(part, 10, 64)
				if err != nil {
					panic(err)
				}
				list = append(list, n)
			}
			args = append(args, list)
		case "texts":
			args = append(args, strings.Split(v, ","))
		case "bool":
			args = append(args, v == "true")
		default:
			args = append(args, nil)
		}
	}
	return sql, args
}

// command runs what is not a statement: "advance 2s", "terminate B", "crash", …
func (w *world) command(b *strings.Builder, line string) {
	fmt.Fprintln(b, line)
	words := strings.Fields(line)
	s := (*Session)(nil)
	if len(words) > 1 {
		s = w.sessions[words[1]]
	}
	switch words[0] {
	case "advance":
		d, err := time.ParseDuration(words[1])
		if err != nil {
			panic(err)
		}
		before := w.unfinished()
		w.advance(d)
		for _, name := range before {
			if w.tasks[w.sessions[name]].done {
				w.report(b, []string{name})
			}
		}
	case "terminate":
		s.Terminate()
	case "cancel":
		s.CancelQuery()
	case "close":
		s.Close()
	case "status":
		fmt.Fprintf(b, "  %c\n", s.TxStatus())
	case "stall":
		w.stalled = true
	case "heal":
		w.stalled = false
		for _, name := range w.sortedNames() {
			if t := w.tasks[w.sessions[name]]; t != nil && t.flush {
				t.ready = true
			}
		}
	case "crash":
		for _, c := range w.srv.Crash() {
			fmt.Fprintf(b, "  lost: %s\n", formatCommit(c))
		}
	case "recover":
		w.srv.Recover()
		w.forget()
	case "standby":
		w.standby = NewServer(w, Options{Standby: true})
		w.standby.schema = w.srv.schema
		if err := w.standby.adopt(w.srv.schema); err != nil {
			panic(err)
		}
	case "replicate":
		for _, c := range w.commits {
			w.standby.Apply(c)
		}
		w.commits = nil
	case "promote":
		w.standby.Promote()
	case "diff":
		for _, r := range w.srv.Diff(w.standby) {
			fmt.Fprintf(b, "  %s\n", formatChange(r))
		}
	case "commits":
		for _, c := range w.commits {
			fmt.Fprintf(b, "  %s\n", formatCommit(c))
		}
		w.commits = nil
	case "heap":
		t := w.srv.Table(words[1])
		fmt.Fprintf(b, "  %d versions, rows:", t.live)
		for _, row := range t.Rows() {
			fmt.Fprintf(b, " (%s)", formatRow(row))
		}
		fmt.Fprintln(b)
	default:
		panic("no command " + words[0])
	}
}

func (w *world) unfinished() []string {
	var names []string
	for _, name := range w.sortedNames() {
		if t := w.tasks[w.sessions[name]]; t != nil && !t.done {
			names = append(names, name)
		}
	}
	return names
}

// forget drops dead sessions, so that their names connect anew.
func (w *world) forget() {
	for name, s := range w.sessions {
		if s.Dead() {
			delete(w.sessions, name)
		}
	}
}

func formatCommit(c *Commit) string {
	var parts []string
	for _, r := range c.Rows {
		parts = append(parts, formatChange(r))
	}
	return strings.Join(parts, "; ")
}

func formatChange(r RowChange) string {
	side := func(row []any) string {
		if row == nil {
			return "none"
		}
		return "(" + formatRow(row) + ")"
	}
	return r.Table + " " + side(r.Old) + " -> " + side(r.New)
}

// TestScripts runs testdata: "schema" takes DDL and seeds, "run" a list of steps, each
// "session: statement" or a command of the world.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		w := newWorld()
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var b strings.Builder
			switch d.Cmd {
			case "schema":
				w = newWorld()
				ddl, seeds, _ := strings.Cut(d.Input, "---\n")
				if err := w.srv.Script(ddl); err != nil {
					return formatResult(nil, err)
				}
				s, err := w.connect("seed")
				if err != nil {
					t.Fatal(err)
				}
				for _, sql := range strings.Split(strings.TrimSpace(seeds), "\n") {
					w.start(s, sql, nil)
					if got := w.tasks[s].result; !strings.HasPrefix(got, "INSERT") && got != "" {
						b.WriteString(got + "\n")
					}
				}
				s.Close()
				delete(w.sessions, "seed")
				w.commits = nil
				return b.String() + "ok"
			case "run":
				for _, line := range strings.Split(strings.TrimSpace(d.Input), "\n") {
					w.step(&b, line)
				}
				return b.String()
			}
			t.Fatalf("no command %s", d.Cmd)
			return ""
		})
	})
}
