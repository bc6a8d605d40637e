package postgres

import (
	"fmt"
	"strconv"
	"strings"
)

// Program is one test: interleaved steps of a few sessions over the tables of a schema.
type Program struct {
	Schema string   // a key of schemas
	Seeds  []string // statements that fill the tables before the first step
	Steps  []Step
}

// Step is one line of a program: a statement of a session, or a command of the world where
// Session is "". Commands are "cancel A" and "terminate A"; scripts know more.
type Step struct {
	Session string
	SQL     string
	Args    []Arg
}

// Arg is one parameter of a statement.
type Arg struct {
	Kind string // int, text, bool, ints, texts or null
	Text string // lists are separated by commas
}

// String is the step as a script has it: "A: select $1 | int:5".
func (s Step) String() string {
	if s.Session == "" {
		return s.SQL
	}
	line := s.Session + ": " + s.SQL
	for i, a := range s.Args {
		if i == 0 {
			line += " |"
		}
		if line += " " + a.Kind; a.Kind != "null" {
			line += ":" + a.Text
		}
	}
	return line
}

// parseStep reads what String wrote.
func parseStep(line string) Step {
	session, text, ok := strings.Cut(line, ": ")
	if !ok {
		return Step{SQL: line}
	}
	s := Step{Session: session, SQL: text}
	if sql, list, ok := strings.Cut(text, " | "); ok {
		s.SQL = sql
		for _, word := range strings.Fields(list) {
			kind, value, _ := strings.Cut(word, ":")
			s.Args = append(s.Args, Arg{kind, value})
		}
	}
	return s
}

// values are the arguments as a Go client passes them to the model.
func (s Step) values() ([]any, error) {
	var out []any
	for _, a := range s.Args {
		switch a.Kind {
		case "int":
			n, err := strconv.ParseInt(a.Text, 10, 64)
			if err != nil {
				return nil, err
			}
			out = append(out, n)
		case "text":
			out = append(out, a.Text)
		case "bool":
			out = append(out, a.Text == "true")
		case "ints":
			list := []int64{}
			for _, part := range strings.Split(a.Text, ",") {
				n, err := strconv.ParseInt(part, 10, 64)
				if err != nil {
					return nil, err
				}
				list = append(list, n)
			}
			out = append(out, list)
		case "texts":
			out = append(out, strings.Split(a.Text, ","))
		case "null":
			out = append(out, nil)
		default:
			return nil, fmt.Errorf("argument of kind %q in %s", a.Kind, s)
		}
	}
	return out, nil
}

// wire is the argument in PostgreSQL's text form; nil is NULL.
func (a Arg) wire() []byte {
	switch a.Kind {
	case "null":
		return nil
	case "ints", "texts":
		return []byte("{" + a.Text + "}")
	}
	return []byte(a.Text)
}

// sessions are the names that the steps use, in order.
func (p *Program) sessions() []string {
	var out []string
	for name := 'A'; name <= 'E'; name++ {
		for _, s := range p.Steps {
			if s.Session == string(name) {
				out = append(out, string(name))
				break
			}
		}
	}
	return out
}

// Answer is what a session's statement came to.
type Answer struct {
	Text   string // "(1, a) SELECT 1", "ERROR 23505: …"
	Status byte   // 'I', 'T' or 'E': the transaction afterwards; 0 when the session is over
}

// Outcome is what one step did.
type Outcome struct {
	Step  string
	Own   string            // "", or "still waits": the session was waiting, nothing was sent
	Done  map[string]Answer // whose statements ended in this step: the step's own, and those it freed
	Waits map[string]string // who waits after it, for whom: "A, C"
}

// Trace is all that can be seen of a program's run.
type Trace struct {
	Steps  []Outcome
	Tables []string // "table: (row) (row)", rows sorted
}

func newOutcome(step Step) Outcome {
	return Outcome{Step: step.String(), Done: map[string]Answer{}, Waits: map[string]string{}}
}

// lines are the outcome as a script shows it; everything also tells what a script leaves out.
func (o *Outcome) lines(session string, everything bool) []string {
	var out []string
	if o.Own != "" {
		out = append(out, o.Own)
	}
	show := func(a Answer) string {
		if everything && a.Status != 0 {
			return a.Text + "  [" + string(a.Status) + "]"
		}
		return a.Text
	}
	if a, ok := o.Done[session]; ok {
		out = append(out, show(a))
	} else if by, ok := o.Waits[session]; ok && o.Own == "" {
		out = append(out, "blocks on "+by)
	}
	for name := 'A'; name <= 'E'; name++ {
		if a, ok := o.Done[string(name)]; ok && string(name) != session {
			out = append(out, string(name)+" wakes: "+show(a))
		}
	}
	if everything {
		for name := 'A'; name <= 'E'; name++ {
			if by, ok := o.Waits[string(name)]; ok && string(name) != session {
				out = append(out, string(name)+" waits for "+by)
			}
		}
	}
	return out
}

// differ tells the first difference of two traces of one program; "" is none.
func differ(model, real *Trace) string {
	for i := range real.Steps {
		session := parseStep(real.Steps[i].Step).Session
		var m []string
		if i < len(model.Steps) {
			m = model.Steps[i].lines(session, true)
		}
		r := real.Steps[i].lines(session, true)
		if strings.Join(m, "\n") != strings.Join(r, "\n") {
			return fmt.Sprintf("step %d, %s\n  model:  %s\n  server: %s", i+1, real.Steps[i].Step,
				strings.Join(m, "\n          "), strings.Join(r, "\n          "))
		}
	}
	if len(model.Steps) != len(real.Steps) {
		return fmt.Sprintf("the model's epilogue has %d steps, the server's %d", len(model.Steps), len(real.Steps))
	}
	for i := range real.Tables {
		if model.Tables[i] != real.Tables[i] {
			return "final table\n  model:  " + model.Tables[i] + "\n  server: " + real.Tables[i]
		}
	}
	return ""
}

// blocked counts the steps that waited or freed others.
func (t *Trace) blocked() int {
	n := 0
	for _, o := range t.Steps {
		if len(o.Waits) > 0 || len(o.Done) > 1 {
			n++
		}
	}
	return n
}

// Script is the program in the form of sim/virtual/postgres/testdata, with the answers of real
// unless that is nil. Where a wait ends in a deadlock or a timeout
// the script needs an "advance" after it: its clock does not move by itself.
func (p *Program) Script(real *Trace) string {
	var b strings.Builder
	fmt.Fprintf(&b, "schema\n%s\n---\n%s\n----\nok\n\nrun\n", strings.TrimSpace(schemas[p.Schema]), strings.Join(p.Seeds, "\n"))
	for _, s := range p.Steps {
		fmt.Fprintln(&b, s)
	}
	b.WriteString("----\n")
	if real == nil {
		return b.String()
	}
	for i := range real.Steps {
		o := &real.Steps[i]
		if i == len(p.Steps) {
			b.WriteString("\nand at the end:\n")
		}
		fmt.Fprintln(&b, o.Step)
		for _, line := range o.lines(parseStep(o.Step).Session, false) {
			fmt.Fprintln(&b, "  "+line)
		}
	}
	return b.String()
}
