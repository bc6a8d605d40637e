package rail

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"dlsim/history"
	"dlsim/system/host"

	json "github.com/goccy/go-json"
)

// Payment is one movement of money as the rail's book has it.
type Payment struct {
	Memo      string `json:"memo"` // whatever the caller wrote; the rail does not interpret it
	Account   string `json:"account"`
	Amount    int64  `json:"amount_minor"`
	Reference string `json:"reference"` // the rail's own, unique
	Request   string `json:"request,omitempty"`
	Token     int64  `json:"token,omitempty"` // of a rail that compares them
	ClockMs   int64  `json:"clock_ms"`        // on the rail's clock, never falling from one payment to the next
}

// logName is the rail's durable file.
const logName = "rail-book"

// book is the durable record of the money that moved. The file holds an entry a record, and
// after each an acknowledgement that the history has been told of it.
type book struct {
	h        host.Host
	accept   acceptance
	log      host.Log
	mu       host.Mutex // held from stamping a payment to its durability: statements are complete
	payments []Payment
	voids    []Void
	epochs   []Epoch
	base     int64 // rail's clock, ns, when mono was read
	mono     time.Duration
}

var acknowledged = []byte("told")

// openBook reads the book as it was left.
func openBook(h host.Host, accepts string) (*book, error) {
	log, err := h.Log(logName)
	if err != nil {
		return nil, fmt.Errorf("open the rail's book: %w", err)
	}
	b := &book{h: h, accept: acceptanceOf(accepts), log: log, mu: h.NewMutex()}
	if err := b.load(); err != nil {
		return nil, err
	}
	b.mono = h.Monotonic()
	b.base = h.Now().UnixNano()
	b.base = max(b.base, (b.latest()+1)*1e6)
	return b, nil
}

// latest is the clock of the book's last entry, ms; 0 when it is empty.
func (b *book) latest() int64 { return max(last(b.payments), last(b.voids), last(b.epochs)) }

// clocked are the book's entries of one kind, which it has in the order of their clocks.
type clocked interface{ clock() int64 }

func (p Payment) clock() int64 { return p.ClockMs }

func last[E clocked](entries []E) int64 {
	if len(entries) == 0 {
		return 0
	}
	return entries[len(entries)-1].clock()
}

// until lists the entries up to a cut-off.
func until[E clocked](entries []E, cutoffMs int64) []E {
	n := len(entries)
	for n > 0 && entries[n-1].clock() > cutoffMs {
		n--
	}
	return entries[:n:n]
}

// load reads the file and tells the history of an entry that the process died too soon to tell.
func (b *book) load() error {
	records, err := b.log.Records()
	if err != nil {
		return fmt.Errorf("read the rail's book: %w", err)
	}
	b.payments, b.voids, b.epochs = nil, nil, nil // statements still being written out keep the old ones
	var untold func() error
	for i, r := range records {
		if string(r) == string(acknowledged) {
			untold = nil
			continue
		}
		var e struct {
			Void
			Number int64 `json:"epoch"`
		}
		if err := json.Unmarshal(r, &e); err != nil {
			return fmt.Errorf("the rail's book, record %d: %w", i, err)
		}
		switch {
		case e.Voids != "":
			b.voids = append(b.voids, e.Void)
			untold = func() error { return b.tellVoid(&b.voids[len(b.voids)-1], history.Recovered) }
		case e.Number > 0:
			b.epochs = append(b.epochs, Epoch{e.Number, e.ClockMs})
			untold = func() error { return b.tellEpoch(&b.epochs[len(b.epochs)-1], history.Recovered) }
		default:
			b.payments = append(b.payments, e.Payment)
			untold = func() error { return b.tell(&b.payments[len(b.payments)-1], history.Recovered) }
		}
	}
	if untold != nil {
		return untold()
	}
	return nil
}

// now is the rail's clock in ns: its wall clock when it started, and from there its monotonic
// clock. So it never steps while it runs, and after a restart never falls behind its own book.
func (b *book) now() int64 { return b.base + int64(b.h.Monotonic()-b.mono) }

// pay moves money: it makes the payment durable and tells the history. When it fails the money may
// have moved.
func (b *book) pay(o Order, request string) (Payment, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p, err := b.accept(b, o); p != nil || err != nil {
		return *orNone(p), err
	}
	p := Payment{
		Memo: o.Memo, Account: o.Account, Amount: o.Amount, Request: request, Token: o.Token,
		Reference: "rail-" + strconv.Itoa(len(b.payments)+1),
		ClockMs:   b.now() / 1e6,
	}
	if err := b.write(&p); err != nil {
		return Payment{}, err
	}
	b.payments = append(b.payments, p)
	return p, b.tell(&p, "")
}

// write makes an entry durable.
func (b *book) write(entry any) error {
	record, err := json.Marshal(entry)
	if err != nil {
		panic("rail: encode an entry of the book: " + err.Error())
	}
	if err := b.log.Append(record); err != nil {
		// Only the file knows. Reading it again settles what the book holds.
		return errors.Join(fmt.Errorf("write the rail's book: %w", err), b.load())
	}
	return nil
}

func (b *book) tell(p *Payment, note string) error {
	b.h.Record(history.Event{Kind: history.OK, Op: history.RailPaid, Truth: true, Payout: p.Memo, Account: p.Account,
		Amount: p.Amount, Reference: p.Reference, Request: p.Request, Clock: p.ClockMs * 1e6, Note: note})
	return b.log.Append(acknowledged)
}

// Statement is the book up to a cut-off, and the rail's clock as it was when the statement was
// asked for.
type Statement struct {
	CutoffMs int64     `json:"cutoff_ms"` // every payment at or before it is listed
	ClockMs  int64     `json:"clock_ms"`
	Payments []Payment `json:"payments"`
	Voids    []Void    `json:"voids,omitempty"` // of a rail that takes payments back
	// Epochs are those of a rail that rotates its credential, and unlike payments all that have begun.
	Epochs []Epoch `json:"epochs,omitempty"`
}

// statement returns the book up to delay before now. The cut-off is the last millisecond that is
// wholly over, so that no later payment can carry it.
func (b *book) statement(delay time.Duration) Statement {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	s := Statement{ClockMs: now / 1e6, CutoffMs: (now-int64(delay))/1e6 - 1}
	s.Payments, s.Voids = until(b.payments, s.CutoffMs), until(b.voids, s.CutoffMs)
	s.Epochs = b.epochs[:len(b.epochs):len(b.epochs)]
	return s
}
