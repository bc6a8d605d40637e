// Package mutation plants small bugs in Go packages, to see whether the tests, or the testbed's own
// sweeps, find them. Every bug is compiled into one program (mutant schemata; Untch, Offutt, Harrold,
// ISSTA 1993) and woken by number, see package which.
package mutation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Mutant is one planted bug.
type Mutant struct {
	ID       int
	File     string // relative to the module
	Line     int
	Func     string // the function it is in, "" for a variable
	Operator string
	From, To string // the code before and after, on one line
}

func (m Mutant) String() string {
	return fmt.Sprintf("%d %s:%d %s: %s: %s -> %s", m.ID, m.File, m.Line, m.Func, m.Operator, m.From, m.To)
}

// wrap puts code around a piece of a file. Wraps nest: of two that begin at the same place the
// longer one is outside, and of two of the same piece the earlier.
type wrap struct {
	from, to      int // offsets
	before, after string
}

// rewrite applies the wraps to a file's text.
func rewrite(src []byte, wraps []wrap) []byte {
	slices.SortStableFunc(wraps, func(a, b wrap) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to))
	})
	var out []byte
	var open []wrap
	at := 0
	closeUpTo := func(limit int) {
		for len(open) > 0 && open[len(open)-1].to <= limit {
			w := open[len(open)-1]
			open = open[:len(open)-1]
			out = append(append(out, src[at:w.to]...), w.after...)
			at = w.to
		}
	}
	for _, w := range wraps {
		closeUpTo(w.from)
		out = append(append(out, src[at:w.from]...), w.before...)
		at = w.from
		open = append(open, w)
	}
	closeUpTo(len(src))
	return append(out, src[at:]...)
}

// oneLine is code as a table can show it.
func oneLine(code string) string {
	code = strings.Join(strings.Fields(code), " ")
	if r := []rune(code); len(r) > 100 {
		code = string(r[:97]) + "..."
	}
	return code
}
