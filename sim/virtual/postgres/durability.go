package postgres

import "slices"

// durable says that the log is on disk up to lsn, which covers every earlier commit too.
func (srv *Server) durable(lsn int64) {
	if lsn <= srv.flushed {
		return
	}
	srv.flushed = lsn
	n := 0
	for n < len(srv.unflushed) && srv.unflushed[n].lsn <= lsn {
		srv.unflushed[n].forget()
		n++
	}
	srv.unflushed = slices.Delete(srv.unflushed, 0, n)
	for i := range srv.sequences {
		q := &srv.sequences[i]
		if q.atLSN != 0 && q.atLSN <= lsn {
			q.durable, q.exists, q.atLSN = q.logged, true, 0
		}
	}
}

func (srv *Server) flushAsync() {
	srv.flushTimer = nil
	if srv.down {
		return
	}
	if n := len(srv.unflushed); n > 0 {
		srv.durable(srv.unflushed[n-1].lsn)
	}
}

// logSequences notes that sequence values logged so far are covered by a commit at lsn.
func (srv *Server) logSequences(lsn int64) {
	for i := range srv.sequences {
		if q := &srv.sequences[i]; q.moved {
			q.atLSN = lsn
		}
	}
}

func (srv *Server) movedSequences() []SequenceValue {
	var out []SequenceValue
	for i := range srv.sequences {
		if q := &srv.sequences[i]; q.moved {
			out = append(out, SequenceValue{Sequence: q.def.name, Logged: q.logged})
			q.moved = false
		}
	}
	return out
}

// Crash ends the server at once. Every session is lost without an answer; commits made with
// synchronous_commit off that were not yet flushed are undone and returned, in commit order.
// A commit whose flush was interrupted is lost, unless a later one was flushed already or
// Options.CrashKeepsInFlight says otherwise.
func (srv *Server) Crash() (lost []*Commit) {
	if srv.down {
		return nil
	}
	srv.down, srv.starting = true, false
	if srv.flushTimer != nil {
		srv.flushTimer()
		srv.flushTimer = nil
	}
	sessions := srv.Sessions()
	for _, s := range sessions {
		if s.flushing {
			s.lost = true
			s.gone = ErrConnectionLost
			if srv.opts.CrashKeepsInFlight {
				srv.durable(s.tx.lsn)
			}
		}
	}
	var kept []*tx
	for _, s := range sessions {
		switch {
		case s.lost && s.tx.lsn <= srv.flushed:
			kept = append(kept, s.tx)
			srv.env.Wake(s)
		case s.lost:
			srv.takeBack(s.tx)
			s.tx.state = txAborted
			srv.env.Wake(s)
		default:
			s.over(ErrConnectionLost)
		}
	}
	srv.sessions = nil
	for i := len(srv.unflushed) - 1; i >= 0; i-- {
		t := srv.unflushed[i]
		srv.takeBack(t)
		t.state = txAborted
		if t.commit != nil {
			lost = append(lost, t.commit)
		}
	}
	slices.Reverse(lost)
	srv.unflushed = nil
	srv.dead = slices.DeleteFunc(srv.dead, func(v *version) bool { return v.taken == nil })
	slices.SortFunc(kept, func(a, b *tx) int { return compareInt(a.lsn, b.lsn) })
	for _, t := range kept {
		srv.publish(t)
	}
	for i := range srv.sequences {
		q := &srv.sequences[i]
		q.ahead, q.moved, q.atLSN = 0, false, 0
		q.fresh = !q.exists
		q.last = q.def.start - q.def.increment
		if q.exists {
			q.last, q.logged = q.durable, q.durable
		}
	}
	return lost
}

// Recover starts a crashed server again. Until Options.StartupTime has passed Connect answers
// 57P03.
func (srv *Server) Recover() {
	if !srv.down {
		return
	}
	srv.down = false
	if srv.opts.StartupTime == 0 {
		return
	}
	srv.starting = true
	srv.env.After(srv.opts.StartupTime, func() { srv.starting = false })
}

// nextval advances a sequence. The new value stays whatever becomes of the transaction.
func (s *Session) nextval(n int) int64 {
	q := &s.srv.sequences[n]
	q.last += q.def.increment
	q.fresh = false
	if q.ahead == 0 {
		s.assignXID()
		q.ahead = 32
		q.logged = q.last + 32*q.def.increment
		q.moved = true
	} else {
		q.ahead--
	}
	for len(s.currval) <= n {
		s.currval, s.hasValue = append(s.currval, 0), append(s.hasValue, false)
	}
	s.currval[n], s.hasValue[n] = q.last, true
	return q.last
}
