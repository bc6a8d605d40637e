package postgres

import "slices"

// lockMode is the strength of a row lock, weakest first.
type lockMode uint8

const (
	lockKeyShare lockMode = iota
	lockShare
	lockNoKeyExclusive // FOR NO KEY UPDATE, and an UPDATE that leaves the keys alone
	lockExclusive      // FOR UPDATE, DELETE, and an UPDATE of a key
)

// conflicting has bit n set where a lock of mode n excludes the mode that indexes it
// (PostgreSQL manual, table "Conflicting Row-Level Locks").
var conflicting = [4]uint8{
	lockKeyShare:       1 << lockExclusive,
	lockShare:          1<<lockNoKeyExclusive | 1<<lockExclusive,
	lockNoKeyExclusive: 1<<lockShare | 1<<lockNoKeyExclusive | 1<<lockExclusive,
	lockExclusive:      1<<lockKeyShare | 1<<lockShare | 1<<lockNoKeyExclusive | 1<<lockExclusive,
}

func (m lockMode) excludes(other lockMode) bool { return conflicting[m]>>other&1 == 1 }

// String is the heavyweight lock that stands for the mode in the tuple queue.
func (m lockMode) String() string {
	return [...]string{"AccessShareLock", "RowShareLock", "ExclusiveLock", "AccessExclusiveLock"}[m]
}

// rowLock is one transaction's lock on one version.
type rowLock struct {
	tx   *tx
	mode lockMode
}

// touch is how a version stands towards one who wants to lock, update or delete it.
type touch uint8

const (
	touchOK        touch = iota
	touchInvisible       // not there for this command
	touchSelf            // changed by this very command
	touchUpdated         // a newer version was committed
	touchDeleted
	touchBusy   // somebody holds it
	touchLocked // SKIP LOCKED passed it by
)

// state classifies v for me.
func (v *version) state(me *tx) touch {
	if v.made == me {
		if v.madeAt >= me.command {
			return touchInvisible
		}
	} else if v.made.state != txCommitted {
		return touchInvisible
	}
	switch {
	case v.taken == nil:
	case v.taken == me:
		if v.takenAt >= me.command {
			return touchSelf
		}
		return touchInvisible
	case v.taken.state == txRunning:
		return touchBusy
	}
	// A committed update shares its MultiXact with those who have locked the version, and counts as
	// running while one of them does.
	if v.sweepLockers(); len(v.lockers) > 0 {
		return touchBusy
	}
	return v.fate()
}

// fate is what has become of a version that nobody holds.
func (v *version) fate() touch {
	switch {
	case v.taken == nil:
		return touchOK
	case v.next != nil:
		return touchUpdated
	}
	return touchDeleted
}

// sweepLockers forgets transactions that have ended.
func (v *version) sweepLockers() {
	if len(v.lockers) == 0 {
		return
	}
	keep := v.lockers[:0]
	for _, l := range v.lockers {
		if l.tx.running() {
			keep = append(keep, l)
		}
	}
	v.lockers = keep
}

// holds returns the mode in which me holds v.
func (v *version) holds(me *tx) (lockMode, bool) {
	for _, l := range v.lockers {
		if l.tx == me {
			return l.mode, true
		}
	}
	return 0, false
}

// blocker returns the other running transaction that excludes mode, the oldest of several: a
// MultiXact keeps its members in the order of their xids, and PostgreSQL waits for them in turn.
func (v *version) blocker(me *tx, mode lockMode) *tx {
	var found *tx
	consider := func(t *tx, held lockMode) {
		if t != me && t.running() && mode.excludes(held) && (found == nil || t.xid < found.xid) {
			found = t
		}
	}
	for _, l := range v.lockers {
		consider(l.tx, l.mode)
	}
	consider(v.taken, v.takenMode())
	return found
}

// blockers are all other running transactions that exclude mode, in the order of their xids.
func (v *version) blockers(me *tx, mode lockMode) []*tx {
	var out []*tx
	for _, l := range v.lockers {
		if l.tx != me && l.tx.running() && mode.excludes(l.mode) {
			out = append(out, l.tx)
		}
	}
	if t := v.taken; t != me && t.running() && mode.excludes(v.takenMode()) && !slices.Contains(out, t) {
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b *tx) int { return compareInt(a.xid, b.xid) })
	return out
}

// waitForAll waits for those who stood in the way when it was decided to wait, and not for who has
// come since.
func (s *Session) waitForAll(those []*tx) error {
	for _, t := range those {
		if err := s.waitFor(t); err != nil {
			return err
		}
	}
	return nil
}

// takenMode is the lock that whoever took v holds by that.
func (v *version) takenMode() lockMode {
	if v.takesKey {
		return lockExclusive
	}
	return lockNoKeyExclusive
}

// lock adds me's lock to v, or strengthens it.
func (v *version) lock(me *tx, mode lockMode) {
	for i := range v.lockers {
		if v.lockers[i].tx == me {
			v.lockers[i].mode = max(v.lockers[i].mode, mode)
			return
		}
	}
	v.lockers = append(v.lockers, rowLock{me, mode})
}

// claim waits until the session may replace or delete v. Anything but touchOK means that v is
// out of date.
func (s *Session) claim(v *version, mode lockMode) (touch, error) {
	me := s.tx
	queued := false
	for {
		got := v.state(me)
		if got != touchBusy {
			s.leaveQueue(queued)
			return got, nil
		}
		by := v.blocker(me, mode)
		if by == nil && (v.taken == nil || !mode.excludes(v.takenMode())) {
			s.leaveQueue(queued)
			return v.fate(), nil
		}
		others := v.blockers(me, mode)
		if _, member := v.holds(me); !member && !queued {
			if _, err := s.enterQueue(v, mode, waitBlock); err != nil {
				return 0, err
			}
			queued = true
		}
		if by == nil {
			s.leaveQueue(queued)
			return v.fate(), nil
		}
		if err := s.waitForAll(others); err != nil {
			return 0, err
		}
	}
}

// lockRow locks v in mode, waiting as policy says. follow also locks the newer versions that a
// running update has made, as SELECT FOR … does.
func (s *Session) lockRow(v *version, mode lockMode, policy waitPolicy, follow bool) (touch, error) {
	me := s.tx
	if v.state(me) == touchInvisible {
		return touchInvisible, nil
	}
	queued := false
	defer func() { s.leaveQueue(queued) }()
	for {
		got := v.state(me)
		switch got {
		case touchOK:
			s.assignXID() // no earlier: a MultiXact sorts its members by it
			v.lock(me, mode)
			return touchOK, nil
		case touchInvisible, touchSelf:
			return got, nil
		}
		held, member := v.holds(me)
		if member && held >= mode {
			return touchOK, nil
		}
		by := v.blocker(me, mode)
		next := v.next // who waits follows what it saw before
		if by == nil && (v.taken == nil || !mode.excludes(v.takenMode())) {
			// A key share lock does not mind an update that left the keys alone, not even a
			// committed one: it takes the old version.
			s.assignXID()
			if follow && next != nil {
				if got, err := s.lockNewer(next, mode); err != nil || got != touchOK {
					return got, err
				}
			}
			v.lock(me, mode)
			return touchOK, nil
		}
		if got != touchBusy {
			return got, nil
		}
		others := v.blockers(me, mode)
		if !member && !queued {
			ok, err := s.enterQueue(v, mode, policy)
			if err != nil || !ok {
				return touchLocked, err
			}
			queued = true
		}
		if by != nil {
			if policy != waitBlock {
				if policy == waitSkip {
					return touchLocked, nil
				}
				return 0, errRowNotAvailable(s.lockTable)
			}
			if err := s.waitForAll(others); err != nil {
				return 0, err
			}
		}
		// Who has waited for an update locks what it made, even where v is out of date by then.
		if follow && next != nil {
			s.assignXID()
			if got, err := s.lockNewer(next, mode); err != nil || got != touchOK {
				return got, err
			}
		}
		if by == nil {
			return v.fate(), nil
		}
	}
}

// lockNewer locks n and the versions that follow it in mode, so that the lock holds whichever way the
// running update ends. One of them that somebody has meanwhile taken in a way that excludes mode
// makes the version before out of date: touchUpdated or touchDeleted.
func (s *Session) lockNewer(n *version, mode lockMode) (touch, error) {
	for ; n != nil; n = n.next {
		for {
			if n.made.state == txAborted {
				return touchOK, nil
			}
			by := n.blocker(s.tx, mode)
			// The members of a MultiXact are met in the order of their numbers.
			if n.taken != nil && n.taken.state == txCommitted && mode.excludes(n.takenMode()) && (by == nil || n.taken.xid < by.xid) {
				return n.fate(), nil
			}
			if by == nil {
				break
			}
			if err := s.waitFor(by); err != nil {
				return 0, err
			}
		}
		n.lock(s.tx, mode)
	}
	return touchOK, nil
}

// lockNewest follows v, found to be out of date, to the newest version and locks that.
// touchDeleted means that there is none.
func (s *Session) lockNewest(v *version, mode lockMode, policy waitPolicy, follow bool) (*version, touch, error) {
	for {
		if v.next == nil {
			return nil, touchDeleted, nil
		}
		v = v.next
		for v.taken != s.tx && v.taken.running() {
			switch policy {
			case waitSkip:
				return nil, touchLocked, nil
			case waitError:
				return nil, 0, errRowNotAvailable(s.lockTable)
			}
			if err := s.waitFor(v.taken); err != nil {
				return nil, 0, err
			}
		}
		if v.taken == s.tx {
			return nil, touchSelf, nil
		}
		if v.taken != nil {
			continue
		}
		got, err := s.lockRow(v, mode, policy, follow)
		if err != nil || got != touchUpdated {
			return v, got, err
		}
	}
}
