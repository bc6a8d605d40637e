package rail

import (
	"net/http"
	"slices"
	"strconv"

	"dlsim/history"
	"dlsim/system/config"
	"dlsim/system/wire"
)

// CredentialPath is for a rail whose credential can be rotated (rail.credential): GET tells the epoch to
// whoever shows the credential that the customer was given at first, and POST begins the next one for
// whoever shows the current epoch's. So a rotation that was asked for once begins one epoch at most,
// however often and however late it arrives.
const CredentialPath = "/credential"

// Epoch is the time of one credential: the book's third kind of entry. From its beginning on the rail
// takes nothing in under an older one, and what it refuses it certainly does not execute. What it had
// taken in before, it may still execute.
type Epoch struct {
	Number  int64 `json:"epoch"`
	ClockMs int64 `json:"clock_ms"` // of its beginning, on the rail's clock
}

func (e Epoch) clock() int64 { return e.ClockMs }

// opener says whether a request shows what opens the rail.
type opener func(s *Service, r *http.Request) bool

func openerOf(setting string, credential Credential) opener {
	if setting == config.CredentialRotated {
		return currentOnly
	}
	return always(credential)
}

// always is the rail of the ADRs: one credential, for ever.
func always(credential Credential) opener {
	key := bearer(credential)
	return func(_ *Service, r *http.Request) bool { return r.Header.Get("Authorization") == key }
}

// currentOnly refuses the credential of every epoch but the current one. Only to be told the epoch takes
// no knowledge of it.
func currentOnly(s *Service, r *http.Request) bool {
	key := s.key
	if r.URL.Path != CredentialPath || r.Method != http.MethodGet {
		key = key.In(s.book.epoch().Number)
	}
	return r.Header.Get("Authorization") == bearer(key)
}

func bearer(c Credential) string { return "Bearer " + c.Reveal() }

// rotates says whether r is for the operations that only some rails have.
func (s *Service) rotates(r *http.Request) bool {
	return s.cfg.Credential == config.CredentialRotated && r.URL.Path == CredentialPath &&
		(r.Method == http.MethodGet || r.Method == http.MethodPost)
}

// rotation tells the epoch, or begins the next one. That can be late, or its answer lost, as a payment's.
func (s *Service) rotation(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		e := s.book.epoch()
		wire.Reply(w, http.StatusOK, &e)
		return
	}
	s.answer(w, r, "", func() (Answer, int, error) {
		e, err := s.book.rotate()
		return Answer{Epoch: e.Number, ClockMs: e.ClockMs}, http.StatusOK, err
	})
}

// epoch is the current one. Before the first rotation that is the zero Epoch.
func (b *book) epoch() (e Epoch) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := len(b.epochs); n > 0 {
		e = b.epochs[n-1]
	}
	return e
}

// rotate makes the next epoch durable and tells the history. When it fails the epoch may have begun.
func (b *book) rotate() (Epoch, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := Epoch{Number: int64(len(b.epochs)) + 1, ClockMs: b.now() / 1e6}
	if err := b.write(&e); err != nil {
		return Epoch{}, err
	}
	b.epochs = append(b.epochs, e)
	return e, b.tellEpoch(&e, "")
}

func (b *book) tellEpoch(e *Epoch, note string) error {
	b.h.Record(history.Event{Kind: history.OK, Op: history.RailRotated, Truth: true,
		Reference: e.reference(), Clock: e.ClockMs * 1e6, Note: note})
	return b.log.Append(acknowledged)
}

func (e *Epoch) reference() string { return "epoch-" + strconv.FormatInt(e.Number, 10) }

// Rotated is the beginning, on the rail's clock, of the first epoch that began at or after a moment.
func (s *Statement) Rotated(sinceMs int64) (atMs int64, ok bool) {
	n := slices.IndexFunc(s.Epochs, func(e Epoch) bool { return e.ClockMs >= sinceMs })
	if n < 0 {
		return 0, false
	}
	return s.Epochs[n].ClockMs, true
}
