package reconciler

import (
	"context"
	"strings"
	"testing"

	"dlsim/history"
	"dlsim/sim/testhost"
	"dlsim/system/config"
	"dlsim/system/rail"
)

var (
	forget  = testhost.Step{SQL: "DELETE FROM rail_submission", Affected: 1}
	putBack = testhost.Step{SQL: "SET state = 'PENDING'", Affected: 1}
)

// withReference is found, with a reference in the row.
func withReference(reference string) testhost.Step {
	f := found("RAIL_AMBIGUOUS", "TIMEOUT", 1)
	f.Rows[0][6] = reference
	return f
}

func TestHowTheRejectedEndingsEndAnOpenSubmission(t *testing.T) {
	for _, c := range []struct {
		what, ending string
		steps        []testhost.Step
		statement    *rail.Statement
		decided      string
		acted        bool
	}{
		{"resubmit: what is not shown yet is queued again", config.ByResubmission,
			[]testhost.Step{found("RAIL_AMBIGUOUS", "TIMEOUT", 0), begin, forget, putBack, commit}, absent, "ok PENDING absent from statement", true},
		{"resubmit: what is shown is posted", config.ByResubmission,
			[]testhost.Step{found("RAIL_AMBIGUOUS", "TIMEOUT", 0), begin, payout, row, entries, balance, commit}, listed, "ok POSTED statement", true},
		{"resubmit: without a statement it waits", config.ByResubmission, []testhost.Step{found("RAIL_AMBIGUOUS", "TIMEOUT", 0)}, nil, "", false},
		{"silence: no statement is a no", config.BySilence,
			[]testhost.Step{found("RAIL_AMBIGUOUS", "TIMEOUT", 0), begin, payout, row, commit}, nil, "ok FAILED no statement", true},
		{"silence: a statement is waited out", config.BySilence, []testhost.Step{found("RAIL_AMBIGUOUS", "TIMEOUT", 40_001)}, absent, "", false},
		{"with a reference: the others are nobody's", config.ByReferenceOnly, []testhost.Step{found("RAIL_AMBIGUOUS", "TIMEOUT", 1)}, listed, "", false},
		{"with a reference: as the design", config.ByReferenceOnly,
			[]testhost.Step{withReference("rail-3"), begin, payout, row, entries, balance, commit}, listed, "ok POSTED statement", true},
		{"by id: an ambiguous one as the design", config.ByIDAlone,
			[]testhost.Step{found("RAIL_AMBIGUOUS", "INTENT", 1), begin, payout, row, commit}, absent, "ok FAILED absent from statement past the horizon", true},
	} {
		w := start(t, c.steps...)
		w.statement = c.statement
		w.reconciler.end = endingOf(c.ending)
		acted := w.reconciler.round(context.Background())
		decided := ""
		for _, e := range w.net.Events() {
			if e.Op == history.ReconcileDecide && e.Kind != history.Invoke {
				decided = strings.TrimSpace(e.Kind.String() + " " + e.State + " " + e.Note)
			}
		}
		if acted != c.acted || decided != c.decided {
			t.Errorf("%s: acted %v, decided %q", c.what, acted, decided)
		}
	}
}

// A claimed payout whose row has been in sight for long is put back, whatever it is by now.
func TestByIDAloneAStaleClaimIsPutBackWithoutALook(t *testing.T) {
	w := start(t, found("CLAIMED", "INTENT", 1), found("CLAIMED", "INTENT", 1), putBack)
	w.statement, w.reconciler.end = absent, endingOf(config.ByIDAlone)
	w.reconciler.round(context.Background())
	w.host.Push(w.reconciler.cfg.Reconciler.Stale)
	if !w.reconciler.round(context.Background()) {
		t.Error("nothing was done")
	}
	e := w.net.Events()
	if last := e[len(e)-1]; last.Op != history.ReconcileDecide || last.State != "PENDING" || last.Note != "stale claim" || last.Token != 0 {
		t.Errorf("%+v", last)
	}
}
