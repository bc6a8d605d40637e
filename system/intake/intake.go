// Package intake is where payouts come from: it enters each into paydb when it becomes due.
package intake

import (
	"context"
	"slices"
	"time"

	"dlsim/system/config"
	"dlsim/system/host"
	"dlsim/system/paydb"
)

// Entry is one payout to come.
type Entry struct {
	paydb.Payout
	Due time.Duration // after the intake's start
}

// Intake enters payouts.
type Intake struct {
	h       host.Host
	cfg     config.Config
	db      *paydb.Store
	entries []Entry
}

// New returns an intake of entries, in any order.
func New(h host.Host, cfg config.Config, entries []Entry) *Intake {
	entries = slices.Clone(entries)
	slices.SortStableFunc(entries, func(a, b Entry) int {
		switch {
		case a.Due < b.Due:
			return -1
		case a.Due > b.Due:
			return 1
		}
		return 0
	})
	return &Intake{h: h, cfg: cfg, db: paydb.NewStore(h.DB("paydb"), cfg.Paydb), entries: entries}
}

// Run enters every payout and returns. It repeats a try whose fate is unknown or that failed: the
// insert tolerates its own row, also after a restart that begins at the first entry again.
func (i *Intake) Run(ctx context.Context) error {
	start := i.h.Monotonic()
	for _, e := range i.entries {
		if wait := start + e.Due - i.h.Monotonic(); wait > 0 {
			if err := i.h.Sleep(ctx, wait); err != nil {
				return err
			}
		}
		for !i.enter(ctx, e.Payout) {
			if err := i.h.Sleep(ctx, i.cfg.Intake.Retry); err != nil {
				return err
			}
		}
	}
	return nil
}

func (i *Intake) enter(ctx context.Context, p paydb.Payout) bool {
	ctx, cancel := i.h.WithTimeout(ctx, i.cfg.Paydb.Timeout)
	defer cancel()
	fate, _ := i.db.Enter(ctx, p)
	return fate == paydb.Done
}
