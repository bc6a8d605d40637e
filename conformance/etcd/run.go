package etcd

import (
	"context"
	"fmt"
	"strings"
	"time"

	model "dlsim/sim/virtual/etcd"
)

// Difference is where model and server part.
type Difference struct {
	Program Program
	Answers []string // the server's, one a step, up to the step that differs
	Model   string   // what the model answers there
}

// Error shows the difference as a script with the server's answers.
func (d *Difference) Error() string {
	var b strings.Builder
	at := len(d.Answers) - 1
	fmt.Fprintf(&b, "step %d, %q:\n  etcd:  %s\n  model: %s\n\ncluster\n----\nleader=0 rev=1 term=2\n\nrun\n",
		at+1, d.Program[at], d.Answers[at], d.Model)
	for _, s := range d.Program[:at+1] {
		b.WriteString(s.String() + "\n")
	}
	b.WriteString("----\n")
	for i, a := range d.Answers {
		fmt.Fprintf(&b, "%s -> %s\n", d.Program[i], a)
	}
	return b.String()
}

func newModel(now int64, seed uint64) (*bench, *world) {
	// The model's tick is fixed; what follows from the election time-out is the same for both.
	b := newBench(now, model.Options{Election: election, Seed: seed})
	return b, newWorld(model.NewKV(b), model.NewLease(b), 0)
}

// quick is how long a program without waits may take: remaining times are told in whole seconds,
// and a program that takes longer sees another second begin.
const quick = 800 * time.Millisecond

// Run makes the program's steps on the server and on a fresh model, until they differ. The program
// must not wait. A nil difference means that they agree.
func (s *Server) Run(ctx context.Context, p Program) (*Difference, error) {
	for {
		began := time.Now()
		d, err := s.try(ctx, p)
		if d == nil || err != nil || time.Since(began) < quick {
			return d, err
		}
	}
}

func (s *Server) try(ctx context.Context, p Program) (*Difference, error) {
	real, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	b, virtual := newModel(1, 1)
	var answers []string
	for _, step := range p {
		b.to(b.now + int64(time.Millisecond))
		want := real.do(ctx, step)
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("%s: %w", step, err)
		}
		answers = append(answers, want)
		if got := virtual.do(ctx, step); got != want {
			return &Difference{Program: p, Answers: answers, Model: got}, nil
		}
	}
	return nil, nil
}

// Shrink takes steps away as long as some difference stays, and returns the last one found.
func Shrink(d *Difference, run func(Program) (*Difference, error)) (*Difference, error) {
	d.Program = d.Program[:len(d.Answers)]
	for smaller := true; smaller; {
		smaller = false
		for _, p := range simpler(d.Program) {
			next, err := run(p)
			if err != nil {
				return d, err
			}
			if next != nil {
				next.Program = next.Program[:len(next.Answers)]
				d, smaller = next, true
				break
			}
		}
	}
	return d, nil
}

// simpler lists programs with less in them: a step less, or a part of a transaction less.
func simpler(p Program) (out []Program) {
	for i := len(p) - 1; i >= 0; i-- {
		out = append(out, without(p, i))
	}
	for i, s := range p {
		change := func(s Step) {
			q := append(Program(nil), p...)
			q[i] = s
			out = append(out, q)
		}
		for j := range s.If {
			t := s
			t.If = append(append([]Condition(nil), s.If[:j]...), s.If[j+1:]...)
			change(t)
		}
		for j := range s.Then {
			t := s
			t.Then = without(s.Then, j)
			change(t)
		}
		for j := range s.Else {
			t := s
			t.Else = without(s.Else, j)
			change(t)
		}
	}
	return out
}

func without(steps []Step, i int) []Step {
	return append(append([]Step(nil), steps[:i]...), steps[i+1:]...)
}
