package virtual

import (
	"slices"
	"time"

	"dlsim/history"
	"dlsim/sim/virtual/postgres"
)

// crash ends the server at once, as a power cut would; recovery is start. The commits of the last
// loses are gone, acknowledged or not.
func (p *pgServer) crash(loses time.Duration) int {
	sessions := p.sessions
	p.sessions = nil
	lost := p.engine.Crash()
	db := p.db
	db.shipped = slices.DeleteFunc(db.shipped, func(c *postgres.Commit) bool { return slices.Contains(lost, c) })
	p.m.node.Kill()
	for _, s := range sessions {
		s.serverGone()
	}
	clear(p.bySession)
	p.stalls = nil
	if len(lost) > 0 {
		p.forgot(lost)
	}
	if loses > 0 {
		return len(sessions) + p.goBack(loses)
	}
	return len(sessions)
}

// goBack puts a crashed server back to what it was `loses` ago: a disk that had said it wrote and
// had not.
func (p *pgServer) goBack(loses time.Duration) (felt int) {
	db := p.db
	next := postgres.NewServer(p, postgres.Options{Catalog: db.w.cache.catalog, Memory: &db.w.cache.memory, Standby: true})
	if err := next.Script(db.schema); err != nil {
		panic("virtual: " + err.Error()) // the server took the same schema
	}
	cutoff := p.Now() - int64(loses)
	db.shipped = slices.DeleteFunc(db.shipped, func(c *postgres.Commit) bool { return c.Clock > cutoff && c.Clock > epoch })
	for _, c := range db.shipped {
		next.Apply(c)
	}
	next.Promote()
	next.Crash() // it is down until somebody restarts it
	gone := p.engine.Diff(next)
	p.engine = next
	if len(gone) > 0 {
		p.lostNote()
	}
	for i := range gone {
		p.tell(&gone[i], 0, p.Now(), true)
	}
	return len(gone)
}

// lostNote tells the history that what follows was acknowledged and is gone.
func (p *pgServer) lostNote() {
	p.db.w.record(&history.Event{Process: p.recorded, Kind: history.OK, Op: history.StoreLost, Truth: true, Clock: p.Now(), Note: "crash"})
}

// forgot tells of commits that were acknowledged before they were on disk.
func (p *pgServer) forgot(lost []*postgres.Commit) {
	p.lostNote()
	for i := len(lost) - 1; i >= 0; i-- {
		for _, r := range lost[i].Rows {
			r.Old, r.New = r.New, r.Old
			p.tell(&r, 0, p.Now(), true)
		}
	}
}

func (p *pgServer) restart() {
	p.m.node.Start()
	p.engine.Recover()
}
