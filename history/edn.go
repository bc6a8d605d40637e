package history

import (
	"bufio"
	"fmt"
	"io"

	"olympos.io/encoding/edn"
)

// ednOp is one map of a Jepsen history.
type ednOp struct {
	Index   int64       `edn:"index"`
	Time    int64       `edn:"time"`
	Type    edn.Keyword `edn:"type"`
	Process any         `edn:"process"` // an integer, or :nemesis
	Node    string      `edn:"node"`    // our own process's name
	F       edn.Keyword `edn:"f"`
	Value   any         `edn:"value"`
	Error   edn.Keyword `edn:"error,omitempty"`
}

// ednValue carries an event's fields; Jepsen leaves the shape of :value to the test.
type ednValue struct {
	Account   string `edn:"account,omitempty"`
	Payout    string `edn:"payout,omitempty"`
	Owner     string `edn:"owner,omitempty"`
	Token     int64  `edn:"token,omitempty"`
	Amount    int64  `edn:"amount,omitempty"`
	State     string `edn:"state,omitempty"`
	Reference string `edn:"reference,omitempty"`
	Request   string `edn:"request,omitempty"`
	Expires   int64  `edn:"expires,omitempty"`
	Note      string `edn:"note,omitempty"`
}

// WriteEDN writes the client record and the faults as a Jepsen history, one operation map a line.
//
// Jepsen's processes are integers that do one thing at a time, and one whose operation ended in
// :info is never used again. Ours run several tasks, so each gets as many integers as it needs:
// an invocation takes the first idle one of its process, and an unknown outcome retires it.
// Truth and counters have no place in that form and are left out.
func WriteEDN(w io.Writer, events []Event) error {
	out := bufio.NewWriter(w)
	workers := newWorkers()
	index := int64(0)
	for i := range events {
		e := &events[i]
		op := ednOp{Index: index, Time: e.Time, Type: edn.Keyword(e.Kind.String()), Node: e.Process,
			F: edn.Keyword(string(e.Op)), Error: edn.Keyword(e.Error)}
		switch {
		case e.Truth:
			continue
		case e.Op == FaultBegun || e.Op == FaultEnded || e.Op == AllHealed:
			op.Process, op.Type = edn.Keyword("nemesis"), "info"
		case e.Kind == Invoke:
			op.Process = workers.take(e.Process, e.ID)
		case e.Call != 0:
			n, ok := workers.end(e.Process, e.Call, e.Kind == Info)
			if !ok {
				return fmt.Errorf("event %d completes call %d, which nothing began", e.ID, e.Call)
			}
			op.Process = n
		default:
			continue
		}
		op.Value = ednValue{e.Account, e.Payout, e.Owner, e.Token, e.Amount, e.State, e.Reference, e.Request, e.Expires, e.Note}
		text, err := edn.Marshal(op)
		if err != nil {
			return fmt.Errorf("event %d: %w", e.ID, err)
		}
		out.Write(text)
		out.WriteByte('\n')
		index++
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write EDN history: %w", err)
	}
	return nil
}

// workers hands out Jepsen's process numbers.
type workers struct {
	next int64
	idle map[string][]int64 // by process, the longest idle last
	busy map[int64]int64    // by the invocation's event id
}

func newWorkers() *workers {
	return &workers{idle: map[string][]int64{}, busy: map[int64]int64{}}
}

func (w *workers) take(process string, call int64) int64 {
	n := w.next
	if idle := w.idle[process]; len(idle) > 0 {
		n = idle[len(idle)-1]
		w.idle[process] = idle[:len(idle)-1]
	} else {
		w.next++
	}
	w.busy[call] = n
	return n
}

func (w *workers) end(process string, call int64, unknown bool) (int64, bool) {
	n, ok := w.busy[call]
	if !ok {
		return 0, false
	}
	delete(w.busy, call)
	if !unknown {
		w.idle[process] = append(w.idle[process], n)
	}
	return n, true
}
