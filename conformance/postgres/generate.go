package postgres

import (
	"fmt"
	"math/rand"

	fuzz "github.com/google/gofuzz"
)

// Generate makes the program of a seed. The same seed gives the same program.
func Generate(seed int64) *Program {
	p := &Program{}
	// Program has one generator of its own; gofuzz brings the seed's randomness to it.
	fuzz.NewWithSeed(seed).Funcs(func(p *Program, c fuzz.Continue) {
		g := &generator{r: c.Rand}
		g.program(p)
	}).Fuzz(p)
	return p
}

type generator struct {
	r *rand.Rand
	// strict is the share of transactions at REPEATABLE READ, in tenths.
	strict int
}

// pick chooses one of the arguments.
func pick[T any](g *generator, of ...T) T { return of[g.r.Intn(len(of))] }

// script is a session's life: transactions one after the other, as lists of statements.
type script interface {
	// seeds fill the tables.
	seeds(g *generator) []string
	// next is the next unit of work of a session: statements that belong together, its own BEGIN
	// and COMMIT included where it has them.
	next(g *generator) []Step
}

func (g *generator) program(p *Program) {
	g.strict = pick(g, 0, 0, 3, 8)
	p.Schema = pick(g, "paydb", "paydb", "lockdb", "keys", "keys", "keys", "values")
	crowd := g.r.Intn(4) == 0
	var work script
	switch p.Schema {
	case "paydb":
		work = payments{}
	case "lockdb":
		work = grants{}
	case "keys":
		work = keyed{}
		if crowd {
			work = crowded{}
		}
	default:
		work = valued{}
	}
	p.Seeds = work.seeds(g)
	sessions := 2 + g.r.Intn(4)
	steps := 6 + g.r.Intn(20)
	if p.Schema == "keys" && crowd {
		sessions, steps = 4+g.r.Intn(2), 14+g.r.Intn(16)
	}
	queues := make([][]Step, sessions)
	for len(p.Steps) < steps {
		i := g.r.Intn(sessions)
		name := string(rune('A' + i))
		if g.r.Intn(60) == 0 {
			p.Steps = append(p.Steps, Step{SQL: pick(g, "cancel ", "cancel ", "cancel ", "terminate ") + name})
			continue
		}
		if len(queues[i]) == 0 {
			queues[i] = work.next(g)
		}
		step := queues[i][0]
		queues[i] = queues[i][1:]
		step.Session = name
		p.Steps = append(p.Steps, step)
	}
}

// sql is a statement without parameters.
func sql(format string, args ...any) Step { return Step{SQL: fmt.Sprintf(format, args...)} }

// with is a statement with parameters: int, string or nil.
func with(text string, args ...any) Step {
	s := Step{SQL: text}
	for _, a := range args {
		switch a := a.(type) {
		case int:
			s.Args = append(s.Args, Arg{"int", fmt.Sprint(a)})
		case string:
			s.Args = append(s.Args, Arg{"text", a})
		case bool:
			s.Args = append(s.Args, Arg{"bool", fmt.Sprint(a)})
		default:
			s.Args = append(s.Args, Arg{Kind: "null"})
		}
	}
	return s
}

// block puts statements into a transaction. Some never end it; the next one's BEGIN then only
// warns, or the program's end rolls it back.
func (g *generator) block(steps ...Step) []Step {
	begin := "begin"
	if g.r.Intn(10) < g.strict {
		begin = pick(g, "begin isolation level repeatable read", "begin isolation level repeatable read", "begin isolation level repeatable read, read only")
	}
	out := []Step{sql("%s", begin)}
	if g.r.Intn(12) == 0 {
		out = append(out, sql("set local lock_timeout = %d", pick(g, 20, 20, 600000)))
	}
	out = append(out, steps...)
	switch g.r.Intn(8) {
	case 0:
		return append(out, sql("rollback"))
	case 1:
		return out
	}
	return append(out, sql("commit"))
}
