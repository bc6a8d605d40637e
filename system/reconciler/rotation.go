package reconciler

import (
	"context"

	"dlsim/system/config"
	"dlsim/system/paydb"
	"dlsim/system/rail"
)

// writeOff ends, or brings nearer its end, a payout that a statement complete beyond the horizon does not
// show. It reports whether there was anything to do but wait.
type writeOff func(r *Reconciler, ctx context.Context, u *paydb.Unresolved, st *rail.Statement) (acted bool)

func writeOffOf(setting string) writeOff {
	if setting == config.CredentialRotated {
		return afterRotation
	}
	return atOnce
}

// atOnce is the design: the horizon is what says that no money comes any more.
func atOnce(r *Reconciler, ctx context.Context, u *paydb.Unresolved, _ *rail.Statement) (acted bool) {
	r.resolve(ctx, u, false, "", "absent from statement past the horizon")
	return true
}

// afterRotation first has the rail refuse whatever could still be sent, and then looks once more: at a
// statement that is complete a horizon beyond the rotation, for what the rail had taken in by then. It
// remembers nothing, since the statement tells of every rotation, also of one whose answer was lost.
func afterRotation(r *Reconciler, ctx context.Context, u *paydb.Unresolved, st *rail.Statement) (acted bool) {
	at, rotated := st.Rotated(u.FirstSeen)
	switch {
	case !rotated:
		r.rotate(ctx, st)
		return true
	case st.CutoffMs < at+r.cfg.Reconciler.Horizon.Milliseconds():
		return false
	}
	return atOnce(r, ctx, u, st)
}

// rotate asks for an end of the epoch that st is of, and notes the next one in st when the rail has
// confirmed it, so that it serves the round's other payouts too.
func (r *Reconciler) rotate(ctx context.Context, st *rail.Statement) {
	// Longer than the proxy waits for the rail, as an executor's is.
	ctx, cancel := r.h.WithTimeout(ctx, r.cfg.Executor.SubmitTimeout)
	defer cancel()
	epoch := int64(0)
	if n := len(st.Epochs); n > 0 {
		epoch = st.Epochs[n-1].Number
	}
	if next, err := r.proxy.Rotate(ctx, epoch); err == nil {
		st.Epochs = append(st.Epochs, next)
	}
}
