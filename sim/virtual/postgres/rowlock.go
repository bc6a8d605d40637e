package postgres

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
	if v.taken == me {
		if v.takenAt >= me.command {
			return touchSelf
		}
		return touchInvisible
	}
	// A committed update shares its MultiXact with those who have locked the version, and counts as
	// running while one of them does.
	if v.xmax.running() {
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

// waitForMembers waits, one after the other, for those in x who stand in the way of mode: those of the
// moment, and not who has come since. It counts the members that go on, me included.
func (s *Session) waitForMembers(x *multiXact, mode lockMode) (remaining int, err error) {
	for i := range x.members {
		switch m := &x.members[i]; {
		case m.tx == s.tx:
			remaining++
		case mode.excludes(m.mode):
			if err := s.waitFor(m.tx); err != nil {
				return 0, err
			}
		case m.tx.running():
			remaining++
		}
	}
	return remaining, nil
}

// claim waits until the session may replace or delete v, as heap_update does. Anything but touchOK
// means that v is out of date. heirs is the xmax for the version that comes after it.
func (s *Session) claim(v *version, mode lockMode) (got touch, heirs xmax, err error) {
	if got = v.state(s.tx); got != touchBusy {
		return got, heirs, nil
	}
	queued := false
	defer func() { s.leaveQueue(queued) }()
	for {
		seen := v.xmax
		lockersEnded := false
		queue := func() (err error) {
			if !queued {
				queued, err = s.enterQueue(v, mode, waitBlock)
			}
			return err
		}
		switch {
		case seen.multi != nil:
			conflict, isMember := seen.multi.excludes(s.tx, mode)
			if !conflict {
				break
			}
			if !isMember { // who holds a lock already would only be in the way of those who queue
				if err := queue(); err != nil {
					return 0, heirs, err
				}
			}
			remaining, err := s.waitForMembers(seen.multi, mode)
			if err != nil {
				return 0, heirs, err
			}
			lockersEnded = remaining == 0
		case seen.tx == s.tx || !seen.update && !mode.excludes(seen.mode):
		default:
			if err := queue(); err != nil {
				return 0, heirs, err
			}
			if err := s.waitFor(seen.tx); err != nil {
				return 0, heirs, err
			}
			lockersEnded = true
		}
		if seen.replaced(&v.xmax) {
			if got = v.state(s.tx); got != touchBusy {
				return got, heirs, nil
			}
			continue
		}
		if v.taken == nil && !lockersEnded {
			heirs = seen.inherited()
		}
		return v.fate(), heirs, nil
	}
}

// lockRow locks v in mode, waiting as policy says. follow also locks the newer versions that a
// running update has made, as SELECT FOR … does.
func (s *Session) lockRow(v *version, mode lockMode, policy waitPolicy, follow bool) (touch, error) {
	got := v.state(s.tx)
	if got == touchBusy || got == touchUpdated || got == touchDeleted {
		enough, member := v.xmax.heldBy(s.tx, mode)
		if enough {
			return touchOK, nil
		}
		var err error
		if got, err = s.lockTaken(v, mode, policy, follow, member); err != nil {
			return got, err
		}
	}
	if got == touchOK {
		s.assignXID() // no earlier: a MultiXact sorts its members by it
		v.xmax.add(s.tx, mode, false)
		if v.xmax.hints().locksOnly {
			v.next = nil
		}
	}
	return got, nil
}

// lockTaken waits until v can be locked, as heap_lock_tuple does; touchOK says that it can. member
// says that the session is one of several who hold v, but not in mode.
func (s *Session) lockTaken(v *version, mode lockMode, policy waitPolicy, follow, member bool) (touch, error) {
	me := s.tx
	queued := false
	defer func() { s.leaveQueue(queued) }()
	for {
		got := v.state(me)
		if got != touchBusy && got != touchUpdated && got != touchDeleted {
			return got, nil
		}
		seen, next := v.xmax, v.next // who waits follows what it saw before
		hints := seen.hints()
		sleep := true
		switch mode {
		case lockKeyShare:
			// It does not mind an update that left the keys alone, not even a committed one: it takes
			// the old version, after those that the update has made.
			if hints.takesKey {
				break
			}
			if follow && !hints.locksOnly && next != nil {
				s.assignXID()
				if got, err := s.lockNewer(next, mode); err != nil || got != touchOK {
					return got, err
				}
			}
			if v.taken != nil && (v.xmax.hints().takesKey || hints.locksOnly) {
				continue
			}
			sleep = false
		case lockShare:
			sleep = !hints.locksOnly || hints.strongest >= lockNoKeyExclusive
		case lockNoKeyExclusive:
			if seen.multi != nil {
				sleep, _ = seen.multi.excludes(me, mode)
			} else {
				sleep = seen.update || seen.mode != lockKeyShare
			}
		}
		if seen.multi == nil && seen.tx == me {
			sleep = false
		}
		if !sleep {
			return touchOK, nil
		}
		if got != touchBusy {
			return got, nil
		}
		// A member would only be in the way of those who queue.
		if !member && !queued {
			ok, err := s.enterQueue(v, mode, policy)
			if err != nil || !ok {
				return touchLocked, err
			}
			queued = true
		}
		if policy != waitBlock {
			if seen.busy(me, mode) {
				if policy == waitSkip {
					return touchLocked, nil
				}
				return 0, errRowNotAvailable(s.lockTable)
			}
		} else if seen.multi != nil {
			if _, err := s.waitForMembers(seen.multi, mode); err != nil {
				return 0, err
			}
		} else if err := s.waitFor(seen.tx); err != nil {
			return 0, err
		}
		// Who has waited for an update locks what it made, even where v is out of date by then.
		if follow && !hints.locksOnly && next != nil {
			s.assignXID()
			if got, err := s.lockNewer(next, mode); err != nil || got != touchOK {
				return got, err
			}
		}
		if seen.replaced(&v.xmax) {
			continue
		}
		return v.fate(), nil
	}
}

// lockNewer locks n and the versions that follow it in mode, so that the lock holds whichever way the
// running update ends. One of them that somebody has meanwhile taken in a way that excludes mode
// makes the version before out of date: touchUpdated or touchDeleted.
func (s *Session) lockNewer(n *version, mode lockMode) (touch, error) {
	for ; n != nil; n = n.next {
		if n.made.state == txAborted {
			return touchOK, nil
		}
		locked, got, err := s.passMembers(n, mode)
		if err != nil || got != touchOK {
			return got, err
		}
		if !locked {
			n.xmax.add(s.tx, mode, false)
		}
		if n.taken == nil {
			break
		}
	}
	return touchOK, nil
}

// passMembers waits until nobody in n's xmax excludes mode, meeting them in order. locked says that
// the session is one of them.
func (s *Session) passMembers(n *version, mode lockMode) (locked bool, got touch, err error) {
	for again := true; again; {
		again = false
		seen := n.xmax
		members := []member{seen.member}
		if seen.multi != nil {
			members = seen.multi.members
		}
		for _, m := range members {
			if m.tx == nil || m.tx != s.tx && !(mode.excludes(m.mode) && m.counts()) {
				continue
			}
			if m.tx == s.tx {
				return true, touchOK, nil
			}
			if !m.tx.running() {
				return false, n.fate(), nil
			}
			if err := s.waitFor(m.tx); err != nil {
				return false, 0, err
			}
			if n.made.state == txAborted {
				return true, touchOK, nil
			}
			again = true
			break
		}
	}
	return false, touchOK, nil
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
