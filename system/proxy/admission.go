package proxy

import (
	"context"
	"errors"

	"dlsim/system/dberr"
	"dlsim/system/paydb"
	"dlsim/system/rail"
)

// Submission is one attempt to have the rail pay one payout.
type Submission struct {
	paydb.Payout
	Token int64
	Key   rail.Credential // shown to the rail; learnt before the admission begins
}

// Verdict is what became of an admission.
type Verdict uint8

// The verdicts. Only Admitted may be forwarded.
const (
	Admitted Verdict = iota
	FencedOut
	Duplicate
	// Refused: the database failed, and certainly recorded nothing.
	Refused
	// Unsettled: the database failed, and the intent may be recorded all the same.
	Unsettled
)

// Admission decides, before the rail is called, whether a submission may be forwarded, and
// records that it will be. It is the seam at which a rejected alternative replaces the design.
// The reason comes with Refused and Unsettled: an error of the database.
type Admission interface {
	Admit(ctx context.Context, s Submission) (v Verdict, reason error)
}

// Fenced is the design: token strictly above the account's mark, no submission of the payout yet,
// and the intent committed, in this order and in one transaction (ADR-007 D2, D3).
type Fenced struct{ DB *paydb.Store }

// Admit implements Admission.
func (f Fenced) Admit(ctx context.Context, s Submission) (Verdict, error) {
	return verdict(f.DB.Admit(ctx, s.Payout, s.Token, paydb.AdvanceMark, paydb.WriteIntent))
}

func verdict(fate paydb.Fate, err error) (Verdict, error) {
	switch {
	case fate == paydb.Done:
		return Admitted, nil
	case fate == paydb.Unknown:
		return Unsettled, err
	case errors.Is(err, paydb.ErrFencedOut):
		return FencedOut, nil
	case errors.Is(err, paydb.ErrDuplicate):
		return Duplicate, nil
	}
	return Refused, err
}

// code is the verdict's name in answers and in the history.
func (v Verdict) code(reason error) string {
	switch v {
	case FencedOut:
		return CodeFencedOut
	case Duplicate:
		return CodeDuplicate
	case Refused, Unsettled:
		return dberr.Code(reason)
	}
	return ""
}
