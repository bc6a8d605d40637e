package postgres

import (
	"testing"

	"dlsim/conformance/mutants"
)

const modelDir = "sim/virtual/postgres/"

// TestMutants has every error below found, all but one by generated programs alone. It takes minutes: see make
// conformance-mutants. In an ordinary run only the list is checked.
func TestMutants(t *testing.T) {
	const generated = "GeneratedPrograms"
	mutants.Kill(t, "./conformance/postgres", []mutants.Mutant{
		{
			Name: "an update does not ask its WHERE again after a wait", Run: generated,
			File: modelDir + "update.go",
			Old:  "		if ok, err := c.holds(q.where); err != nil || !ok {\n			return nil, err\n		}\n	}\n}",
			New:  "	}\n}",
		},
		{
			Name: "REPEATABLE READ sees what was committed later", Run: generated,
			File: modelDir + "session.go",
			Old:  "	if t.iso != repeatableRead {\n		t.snapshot = s.srv.seq\n	} else if",
			New:  "	if t.iso != repeatableRead || true {\n		t.snapshot = s.srv.seq\n	} else if",
		},
		{
			Name: "REPEATABLE READ updates a row that was updated since", Run: generated,
			File: modelDir + "update.go",
			Old:  "			if s.tx.iso == repeatableRead {\n				if got == touchUpdated {",
			New:  "			if s.tx.iso == readUncommitted {\n				if got == touchUpdated {",
		},
		{
			Name: "now() moves within a transaction", Run: generated,
			File: modelDir + "bind_call.go",
			Old:  "return c.session.tx.start, nil",
			New:  "return timeOf(c.session.srv.env.Now()), nil",
		},
		{
			Name: "a rollback takes the sequence back", Run: generated,
			File: modelDir + "session.go",
			Old:  "func (srv *Server) takeBack(t *tx) {\n",
			New:  "func (srv *Server) takeBack(t *tx) {\n	for i := range srv.sequences {\n		if q := &srv.sequences[i]; !q.fresh && len(t.made) > 0 {\n			q.last -= q.def.increment\n		}\n	}\n",
		},
		{
			Name: "a unique index ignores what is not committed", Run: generated,
			File: modelDir + "constraint.go",
			Old:  "		case v.made != me && v.made.running():\n",
			New:  "		case v.made != me && v.made.running() && except != nil:\n			continue\n		case v.made != me && v.made.running():\n",
		},
		{
			Name: "FOR SHARE does not exclude an update that leaves the keys alone", Run: generated,
			File: modelDir + "rowlock.go",
			Old:  "	lockShare:          1<<lockNoKeyExclusive | 1<<lockExclusive,",
			New:  "	lockShare:          1 << lockExclusive,",
		},
		{
			Name: "FOR KEY SHARE excludes every update", Run: generated,
			File: modelDir + "update.go",
			Old:  "	if !sameColumns(v.row, row, table.def.keys) {\n		mode = lockExclusive\n	}\n	got,",
			New:  "	mode = lockExclusive\n	got,",
		},
		{
			Name: "SKIP LOCKED takes the rows that are locked", Run: generated,
			File: modelDir + "rowlock.go",
			Old:  "				if policy == waitSkip {\n					return touchLocked, nil\n",
			New:  "				if policy == waitSkip {\n					return touchOK, nil\n",
		},
		{
			Name: "DO UPDATE does not ask its WHERE", Run: generated,
			File: modelDir + "insert.go",
			Old:  "	ok, err := c.holds(q.update.where)\n	if err != nil || !ok {",
			New:  "	_, err = c.holds(q.update.where)\n	if err != nil {",
		},
		{
			Name: "DO NOTHING passes by a row that its snapshot cannot see", Run: generated,
			File: modelDir + "insert.go",
			Old:  "		if unseen() {\n			return nil, false, errConcurrentUpdate()\n		}\n		return nil, false, nil",
			New:  "		return nil, false, nil",
		},
		{
			Name: "whoever waits last gets the row first", Run: generated,
			File: modelDir + "wait.go",
			Old:  "	q.waiters = append(q.waiters, queued{s, mode})\n	s.holding = q\n	if err",
			New:  "	q.waiters = slices.Insert(q.waiters, 0, queued{s, mode})\n	s.holding = q\n	if err",
		},
		{
			Name: "nobody queues for a row", Run: generated,
			File: modelDir + "rowlock.go",
			Old:  "		if !member && !queued {",
			New:  "		if !member && !queued && mode == lockKeyShare {",
		},
		{
			Name: "a deadlock has no victim", Run: generated,
			File: modelDir + "wait.go",
			Old:  "	err.Hint = \"See server log for query details.\"\n	s.interruptWait(err)\n",
			New:  "	err.Hint = \"See server log for query details.\"\n",
		},
		{
			Name: "lock_timeout does not strike", Run: generated,
			File: modelDir + "wait.go",
			Old:  "	if s.set.lockTimeout > 0 {",
			New:  "	if s.set.lockTimeout < 0 {",
		},
		{
			Name: "a failed statement leaves its transaction usable", Run: generated,
			File: modelDir + "session.go",
			Old:  "	s.failed = block\n",
			New:  "	s.failed = block && s.failed\n",
		},
		{
			Name: "a rollback leaves rows marked as replaced", Run: generated,
			File: modelDir + "session.go",
			Old:  "			old.taken = nil // as",
			New:  "			// as",
		},
		{
			Name: "a terminated session keeps its locks", Run: generated,
			File: modelDir + "session.go",
			Old:  "	case s.tx != nil && !s.running:\n		s.undo()\n	}\n}",
			New:  "	}\n}",
		},
		{
			Name: "a committed update ends while others still lock its version", Run: generated,
			File: modelDir + "rowlock.go",
			Old:  "	if v.xmax.running() {",
			New:  "	if v.xmax.running() && (v.taken == nil || v.taken.running()) {",
		},
		{
			Name: "who has waited for an update does not lock what it made", Run: generated,
			File: modelDir + "rowlock.go",
			Old:  "out of date by then.\n		if follow && !hints.locksOnly && next != nil {",
			New:  "out of date by then.\n		if follow && !hints.locksOnly && next != nil && mode == lockKeyShare {",
		},
		{
			Name: "a new version forgets who holds the row", Run: generated,
			File: modelDir + "update.go",
			Old:  "	n.xmax = heirs\n",
			New:  "	_ = heirs\n",
		},
		{
			Name: "FOR SHARE looks whether those in its way have ended before it queues", Run: generated,
			File: modelDir + "rowlock.go",
			Old:  "			sleep = !hints.locksOnly || hints.strongest >= lockNoKeyExclusive\n",
			New:  "			sleep = v.taken != nil || seen.busy(me, mode)\n",
		},
		{
			Name: "an update beside a lock is forgotten once it is committed", Run: generated,
			File: modelDir + "xmax.go",
			Old:  "	return m.tx.running() || m.update && m.tx.state == txCommitted\n",
			New:  "	return m.tx.running()\n",
		},
		{
			Name: "a commit does not tell of deletes", Run: generated,
			File: modelDir + "tx.go",
			Old:  "		if c.old == nil && c.new == nil {",
			New:  "		if c.new == nil {",
		},
	}, "COUNT=20000")
	// Where it leads, and who fails in the end, is the same; it comes a second sooner. Generated programs
	// know no seconds, so this one is for a script, which is replayed on the server as well.
	mutants.Kill(t, "./sim/virtual/postgres", []mutants.Mutant{
		{
			Name: "a deadlock over the order of a queue alone has a victim", Run: "Scripts",
			File: modelDir + "wait.go",
			Old:  "		if e.soft && e.from.waiting.queue.overtake(e.from, e.to) {",
			New:  "		if false && e.from.waiting.queue.overtake(e.from, e.to) {",
		},
	})
}
