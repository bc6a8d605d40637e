package checker

import (
	"fmt"
	"strings"

	"dlsim/history"
)

// waits follows who holds and who wants which lock, as the clients' record tells it.
type waits struct {
	processes names
	holder    []int32 // by account: the process that holds it, -1
	wants     []int32 // by process: the account it asked for last and did not get, -1
}

// cycles counts how often a ring of processes came to be, each holding what the next one waits for.
// The lock service never waits: a process that was told LOCK_HELD and goes on holding others is
// waiting, since it will ask again.
func (w *waits) cycles(x *index, o *Observation) {
	w.processes.reset()
	w.wants = w.wants[:0]
	w.holder = w.holder[:0]
	for range x.account {
		w.holder = append(w.holder, -1)
	}
	for at := range x.events {
		e := &x.events[at]
		switch e.Op {
		case history.ProcessKilled: // the dead wait for nothing, whatever is still kept for them
			w.died(e.Owner)
			continue
		case history.LockAcquire, history.LockRelease, history.LockReleased, history.LockExpired, history.LockGranted:
		default:
			continue
		}
		key := x.accounts.find(e.Account)
		if key < 0 || e.Note == history.Lost {
			continue
		}
		if e.Truth {
			w.holder[key] = -1 // a new grant becomes a hold when its client knows of it
			continue
		}
		p := w.process(e.Process)
		switch {
		case e.Op == history.LockRelease:
			if e.Kind == history.Invoke && w.holder[key] == p {
				w.holder[key] = -1
			}
			if w.wants[p] == key {
				w.wants[p] = -1
			}
		case e.Kind == history.Invoke:
			if w.wants[p] != key {
				w.wants[p] = key
				w.ring(x, p, e, o)
			}
		case e.Kind == history.OK:
			w.holder[key] = p
			if w.wants[p] == key {
				w.wants[p] = -1
			}
			if w.wants[p] >= 0 { // it asks for several at once
				w.ringThrough(x, key, e, o)
			}
		}
	}
}

func (w *waits) died(name string) {
	if name == "" {
		return
	}
	p := w.process(name)
	w.wants[p] = -1
	for key, holder := range w.holder {
		if holder == p {
			w.holder[key] = -1
		}
	}
}

func (w *waits) process(name string) int32 {
	p := w.processes.number(name)
	for int(p) >= len(w.wants) {
		w.wants = append(w.wants, -1)
	}
	return p
}

// ring follows the waits from p and counts when they lead back to it.
func (w *waits) ring(x *index, p int32, e *history.Event, o *Observation) {
	at := p
	for range w.wants {
		if w.wants[at] < 0 {
			return
		}
		if at = w.holder[w.wants[at]]; at < 0 {
			return
		}
		if at == p {
			break
		}
	}
	if at != p || w.holder[w.wants[p]] == p {
		return // asking for what it holds already is a retry
	}
	if v := o.seen(e.ID); v != nil {
		var b strings.Builder
		for at := p; ; {
			key := w.wants[at]
			next := w.holder[key]
			fmt.Fprintf(&b, "%s waits for %s, which %s holds; ", w.processes.list[at], x.accounts.list[key], w.processes.list[next])
			if at = next; at == p {
				break
			}
		}
		v.Sentence = strings.TrimSuffix(b.String(), "; ") + "."
	}
}

// ringThrough looks for rings that a new hold of key closes, from whoever waits for it.
func (w *waits) ringThrough(x *index, key int32, e *history.Event, o *Observation) {
	for p := range w.wants {
		if w.wants[p] == key {
			w.ring(x, int32(p), e, o)
			return
		}
	}
}
