package rail

import (
	"net/http"
	"slices"
	"strconv"

	"dlsim/history"
	"dlsim/system/wire"
)

// VoidsPath takes payments back, at a rail that can do that (rail.void, ADR-004 A4.5).
const VoidsPath = "/voids"

// NoSuchPayment refuses to take back what the book does not have: 404.
const NoSuchPayment = "NO_SUCH_PAYMENT"

// VoidOrder is the body of a request to take a payment back.
type VoidOrder struct {
	Reference string `json:"reference"` // of the payment
}

// Void is a payment taken back: the book's second kind of entry, a movement of money the other way. It
// names one payment and no payout, so that asking for it twice takes nothing back twice.
type Void struct {
	Payment
	Voids string `json:"voids"` // the payment's reference; an entry without one is a payment
}

// voids says whether r is for the operation that only some rails have.
func (s *Service) voids(r *http.Request) bool { return s.cfg.Void && r.URL.Path == VoidsPath }

// void handles one request to take a payment back. It can be late, or its answer lost, as a payment's.
func (s *Service) void(w http.ResponseWriter, r *http.Request) {
	var o VoidOrder
	if !wire.Decode(w, r, &o) {
		return
	}
	p := s.book.payment(o.Reference)
	if p == nil {
		wire.Reply(w, http.StatusNotFound, &Answer{Error: NoSuchPayment})
		return
	}
	request := r.Header.Get(wire.RequestIDHeader)
	s.answer(w, r, p.Memo, func() (Answer, int, error) {
		v, err := s.book.takeBack(p, request)
		return Answer{Reference: v.Reference, ClockMs: v.ClockMs}, http.StatusOK, err
	})
}

// payment finds a payment by its reference, nil when there is none.
func (b *book) payment(reference string) *Payment {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := slices.IndexFunc(b.payments, func(p Payment) bool { return p.Reference == reference }); n >= 0 {
		p := b.payments[n]
		return &p
	}
	return nil
}

// takeBack makes the void durable and tells the history. A payment that was taken back before is
// answered with that void. When it fails the money may be back.
func (b *book) takeBack(p *Payment, request string) (Void, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := slices.IndexFunc(b.voids, func(v Void) bool { return v.Voids == p.Reference }); n >= 0 {
		return b.voids[n], nil
	}
	v := Void{Voids: p.Reference, Payment: Payment{
		Memo: p.Memo, Account: p.Account, Amount: p.Amount, Request: request,
		Reference: "void-" + strconv.Itoa(len(b.voids)+1),
		ClockMs:   b.now() / 1e6,
	}}
	if err := b.write(&v); err != nil {
		return Void{}, err
	}
	b.voids = append(b.voids, v)
	return v, b.tellVoid(&v, "")
}

func (b *book) tellVoid(v *Void, note string) error {
	b.h.Record(history.Event{Kind: history.OK, Op: history.RailVoided, Truth: true, Payout: v.Memo, Account: v.Account,
		Amount: v.Amount, Reference: v.Voids, Request: v.Request, Clock: v.ClockMs * 1e6, Note: note})
	return b.log.Append(acknowledged)
}

// Standing lists the payments of the statement that are the second, third and so on for their memo
// and have not been taken back, in the book's order.
func (s *Statement) Standing() (repeated []Payment) {
	stands := func(p Payment) bool {
		return !slices.ContainsFunc(s.Voids, func(v Void) bool { return v.Voids == p.Reference })
	}
	for n, p := range s.Payments {
		first := !slices.ContainsFunc(s.Payments[:n], func(q Payment) bool { return q.Memo == p.Memo && stands(q) })
		if !first && stands(p) {
			repeated = append(repeated, p)
		}
	}
	return repeated
}
