package sim

import "dlsim/history"

// Book follows the rail's book, for a world whose reconciler has second payments taken back: such a
// run is not over while one stands. The zero value is an empty book.
type Book struct {
	payments []bookEntry
}

type bookEntry struct {
	payout, reference string
	voided            bool
}

// See takes up an event of the history.
func (b *Book) See(e *history.Event) {
	switch e.Op {
	case history.RailPaid:
		if b.find(e.Reference) == nil { // a rail that restarts may tell its last entry again
			b.payments = append(b.payments, bookEntry{payout: e.Payout, reference: e.Reference})
		}
	case history.RailVoided:
		if p := b.find(e.Reference); p != nil {
			p.voided = true
		}
	}
}

// Settled says that no payout has more than one payment that stands.
func (b *Book) Settled() bool {
	for n := range b.payments {
		for m := range b.payments[:n] {
			p, q := &b.payments[n], &b.payments[m]
			if p.payout == q.payout && !p.voided && !q.voided {
				return false
			}
		}
	}
	return true
}

func (b *Book) find(reference string) *bookEntry {
	for n := range b.payments {
		if b.payments[n].reference == reference {
			return &b.payments[n]
		}
	}
	return nil
}
