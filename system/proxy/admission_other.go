package proxy

import (
	"context"

	"dlsim/system/config"
	"dlsim/system/host"
	"dlsim/system/lock"
	"dlsim/system/paydb"
)

// newAdmission is the design unless cfg names an alternative to it.
func newAdmission(h host.Host, cfg config.Config, db *paydb.Store, lockds []string) Admission {
	p := &cfg.Rail.Proxy
	checked := func(checks ...paydb.Check) Admission { return Checked{db, checks} }
	switch {
	case !p.Fencing.Enabled, p.Guard == config.GuardExecutor, p.Guard == config.GuardDownstream:
		return Unfenced(db)
	case p.Guard == config.GuardLockService:
		return Behind{Lockd{lock.NewClient(h, cfg.Lock, lockds)}, Unfenced(db)}
	case p.Checks == config.ChecksDuplicate:
		return checked(paydb.SetMark, paydb.WriteIntent)
	case p.Checks == config.ChecksToken:
		return checked(paydb.AdvanceMark, paydb.SetIntent)
	case p.Order == config.DuplicateFirst:
		return checked(paydb.WriteIntent, paydb.AdvanceMark)
	case p.Mark.Store == config.MarkMemory:
		return Behind{NewMemory(h), Unfenced(db)}
	case p.Mark.Store == config.MarkStandby:
		return Behind{Standby{paydb.NewStore(h.DB("paydb-standby"), cfg.Paydb)}, Unfenced(db)}
	case p.Mark.Store == config.MarkEtcd:
		return NewEtcd(h, db)
	case p.Mark.Scope == config.ScopePayout:
		return checked(paydb.AdvanceMarkOfPayout, paydb.WriteIntent)
	case p.Mark.Scope == config.ScopeRail:
		return checked(paydb.AdvanceMarkOfRail, paydb.WriteIntent)
	case p.Mark.Compare == config.CompareEqual:
		return checked(paydb.AdvanceMarkOrEqual, paydb.WriteIntent)
	case p.Mark.Compare == config.CompareText:
		return checked(paydb.AdvanceMarkAsText, paydb.WriteIntent)
	case p.Admission == config.AdmitReadThenWrite:
		return checked(paydb.ReadThenSetMark, paydb.WriteIntent)
	case p.Admission == config.AdmitClaim:
		return checked(paydb.HoldClaim, paydb.AdvanceMark, paydb.WriteIntent)
	}
	return Fenced{db}
}

// Checked is an admission with other checks than the design's, or with them in another order.
type Checked struct {
	DB     *paydb.Store
	Checks []paydb.Check
}

// Admit implements Admission.
func (c Checked) Admit(ctx context.Context, s Submission) (Verdict, error) {
	return verdict(c.DB.Admit(ctx, s.Payout, s.Token, c.Checks...))
}

// Unfenced is the switch that exists only to demonstrate corruption (ADR-007 D7): it admits
// everything. It writes mark and submission as they would have been, so that what it let through
// can be seen.
func Unfenced(db *paydb.Store) Checked {
	return Checked{db, []paydb.Check{paydb.SetMark, paydb.SetIntent}}
}

// Guard answers both checks from somewhere else than the transaction that writes the intent.
type Guard interface {
	Judge(ctx context.Context, s Submission) (Verdict, error)
}

// Behind admits what the guard lets through, and only writes it down.
type Behind struct {
	Guard  Guard
	Record Admission
}

// Admit implements Admission.
func (b Behind) Admit(ctx context.Context, s Submission) (Verdict, error) {
	if v, err := b.Guard.Judge(ctx, s); v != Admitted {
		return v, err
	}
	return b.Record.Admit(ctx, s)
}

// Memory keeps marks and submissions in this process (ADR-007 7.2 says in which three ways that
// fails).
type Memory struct {
	mu        host.Mutex // guards the rest
	marks     map[string]int64
	submitted map[string]bool
}

// NewMemory returns a guard that has seen nothing.
func NewMemory(h host.Host) *Memory {
	return &Memory{mu: h.NewMutex(), marks: map[string]int64{}, submitted: map[string]bool{}}
}

// Judge implements Guard.
func (m *Memory) Judge(_ context.Context, s Submission) (Verdict, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case s.Token <= m.marks[s.Account]:
		return FencedOut, nil
	case m.submitted[s.ID]:
		return Duplicate, nil
	}
	m.marks[s.Account], m.submitted[s.ID] = s.Token, true
	return Admitted, nil
}

// Standby reads both checks' rows at a replica (7.2 iii).
type Standby struct{ Replica *paydb.Store }

// Judge implements Guard.
func (r Standby) Judge(ctx context.Context, s Submission) (Verdict, error) {
	mark, err := r.Replica.Highest(ctx, s.Account)
	if err != nil {
		return Refused, err
	}
	row, err := r.Replica.Submission(ctx, s.ID)
	switch {
	case err != nil:
		return Refused, err
	case s.Token <= mark:
		return FencedOut, nil
	case row.State != paydb.None:
		return Duplicate, nil
	}
	return Admitted, nil
}

// Lockd asks the lock service whether the submitter still holds the lock (ADR-007 7.4).
type Lockd struct{ Locks *lock.Client }

// Judge implements Guard.
func (l Lockd) Judge(ctx context.Context, s Submission) (Verdict, error) {
	token, err := l.Locks.Holder(ctx, s.Account)
	switch {
	case err != nil:
		return Refused, err
	case token != s.Token:
		return FencedOut, nil
	}
	return Admitted, nil
}
