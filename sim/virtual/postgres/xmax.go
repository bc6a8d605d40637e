package postgres

import "slices"

// member is one transaction's claim on a row version: a lock of a strength, or an update (deletes
// included), which holds the lock that its kind calls for.
type member struct {
	tx     *tx
	mode   lockMode
	update bool
}

// counts says whether m still has a say: its transaction runs, or has committed an update.
func (m *member) counts() bool {
	return m.tx.running() || m.update && m.tx.state == txCommitted
}

// xmax is what a row version keeps of those who have locked or updated it, PostgreSQL's field of that
// name with the bits of the tuple header that go with it. The zero value is nobody.
//
// Nothing takes an entry back: one whose transaction has ended is passed over by whoever reads it and
// dropped by whoever writes the next one. What such an entry leaves behind can be seen, in who queues
// and who does not. README.tuplock of PostgreSQL explains the scheme.
type xmax struct {
	member            // the only one, unless multi is set
	multi  *multiXact // several
}

// multiXact is an immutable set of members, ordered by the numbers of their transactions and then by
// strength, updates last. Two versions of a row may share one.
type multiXact struct {
	members []member
	hints   hints
}

// hints are what the tuple header says about its xmax by itself. They speak of all members, also of
// those that have ended since.
type hints struct {
	locksOnly bool
	strongest lockMode
	takesKey  bool // a key was changed, or the row deleted or locked FOR UPDATE
}

func newMultiXact(members []member) *multiXact {
	slices.SortFunc(members, func(a, b member) int {
		if n := compareInt(a.tx.xid, b.tx.xid); n != 0 {
			return n
		}
		if a.update != b.update {
			if b.update {
				return -1
			}
			return 1
		}
		return int(a.mode) - int(b.mode)
	})
	x := &multiXact{members: members, hints: hints{locksOnly: true}}
	for _, m := range members {
		x.hints.strongest = max(x.hints.strongest, m.mode)
		x.hints.takesKey = x.hints.takesKey || m.mode == lockExclusive
		x.hints.locksOnly = x.hints.locksOnly && !m.update
	}
	return x
}

// running says whether any member's transaction has not ended.
func (x *multiXact) running() bool {
	for i := range x.members {
		if x.members[i].tx.running() {
			return true
		}
	}
	return false
}

// excludes says whether some other member stands in the way of a lock of mode, be it by an update
// that was committed, and whether me is a member.
func (x *multiXact) excludes(me *tx, mode lockMode) (conflict, isMember bool) {
	for i := range x.members {
		m := &x.members[i]
		switch {
		case m.tx == me:
			isMember = true
		case mode.excludes(m.mode) && m.counts():
			conflict = true
		}
	}
	return conflict, isMember
}

// hints of an xmax that names somebody. A single update says nothing of its strength but the key.
func (x *xmax) hints() hints {
	if x.multi != nil {
		return x.multi.hints
	}
	return hints{locksOnly: !x.update, strongest: x.mode, takesKey: x.mode == lockExclusive}
}

// running says whether anybody in x has not ended.
func (x *xmax) running() bool {
	if x.multi != nil {
		return x.multi.running()
	}
	return x.tx.running()
}

// heldBy says whether me holds at least mode, and whether it is one of several members.
func (x *xmax) heldBy(me *tx, mode lockMode) (enough, isMember bool) {
	if x.multi == nil {
		return x.tx == me && x.mode >= mode, false
	}
	for i := range x.multi.members {
		if m := &x.multi.members[i]; m.tx == me {
			if m.mode >= mode {
				return true, true
			}
			isMember = true
		}
	}
	return false, isMember
}

// busy says whether me would have to wait for somebody before it can lock in mode.
func (x *xmax) busy(me *tx, mode lockMode) bool {
	if x.multi == nil {
		return x.tx.running()
	}
	return slices.ContainsFunc(x.multi.members, func(m member) bool {
		return m.tx != me && mode.excludes(m.mode) && m.tx.running()
	})
}

// replaced says that x, seen before a wait, has given way to now. That a transaction has strengthened
// a lock FOR NO KEY UPDATE to FOR UPDATE meanwhile does not show.
func (x *xmax) replaced(now *xmax) bool {
	if x.multi != now.multi || x.tx != now.tx || x.update != now.update {
		return true
	}
	return !x.update && min(x.mode, lockNoKeyExclusive) != min(now.mode, lockNoKeyExclusive)
}

// add gives me a lock of mode, or an update that holds it, beside those in x who still count.
func (x *xmax) add(me *tx, mode lockMode, update bool) {
	alone := member{tx: me, mode: mode, update: update}
	switch {
	case x.multi != nil:
		old := x.multi.members
		if slices.Contains(old, alone) {
			return
		}
		if !slices.ContainsFunc(old, func(m member) bool { return m.counts() }) {
			*x = xmax{member: alone}
			return
		}
		members := make([]member, 0, len(old)+1)
		for _, m := range old {
			if m.counts() {
				members = append(members, m)
			}
		}
		*x = xmax{multi: newMultiXact(append(members, alone))}
	case x.tx == nil || !x.counts():
		x.member = alone
	case x.tx == me:
		alone.mode = max(mode, x.mode)
		x.member = alone
	default:
		*x = xmax{multi: newMultiXact([]member{x.member, alone})}
	}
}

// inherited is the xmax of the version that an update makes of one with x: whoever remains can only
// hold it FOR KEY SHARE, or is the updater itself.
func (x *xmax) inherited() xmax {
	if x.multi != nil {
		return *x
	}
	return xmax{member: member{tx: x.tx, mode: lockKeyShare}}
}
