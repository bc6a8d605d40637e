package postgres

import "dlsim/sim/virtual/slab"

// Memory is what servers that come and go, one world after another, may use again. It belongs to
// one worker; Reset takes it back from all servers that were given it.
type Memory struct {
	txs      slab.Of[tx]
	versions slab.Of[version]
	sessions slab.Of[Session]
	buckets  slab.Of[bucket]
	commits  slab.Of[Commit]
}

// Reset takes everything back. No server that was given the memory may be used after it.
func (m *Memory) Reset() {
	m.txs.Reset()
	m.versions.Reset()
	m.sessions.Reset()
	m.buckets.Reset()
	m.commits.Reset()
}

func (srv *Server) newTx() *tx {
	if m := srv.opts.Memory; m != nil {
		return m.txs.New()
	}
	return &tx{}
}

func (srv *Server) newVersion(row []any, made *tx) *version {
	var v *version
	if m := srv.opts.Memory; m != nil {
		v = m.versions.New()
	} else {
		v = &version{}
	}
	v.row, v.made, v.madeAt = row, made, made.command
	return v
}

func (srv *Server) newSession() *Session {
	if m := srv.opts.Memory; m != nil {
		return m.sessions.New()
	}
	return &Session{}
}

func (srv *Server) newBucket() *bucket {
	if m := srv.opts.Memory; m != nil {
		return m.buckets.New()
	}
	return &bucket{}
}

func (srv *Server) newCommit() *Commit {
	if m := srv.opts.Memory; m != nil {
		return m.commits.New()
	}
	return &Commit{}
}
