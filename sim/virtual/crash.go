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
	db.shipped = db.shippedBy(p.Now() - int64(loses))
	db.fill(next, db.shipped)
	next.Promote()
	next.Crash() // it is down until somebody restarts it
	gone := p.engine.Diff(next)
	p.engine = next
	if len(gone) > 0 {
		p.tellLost(gone, "crash")
	}
	return len(gone)
}

// forgot tells of commits that were acknowledged before they were on disk, the last one first.
func (p *pgServer) forgot(commits []*postgres.Commit) {
	var gone []postgres.RowChange
	for _, c := range slices.Backward(commits) {
		for _, r := range c.Rows {
			r.Old, r.New = r.New, r.Old
			gone = append(gone, r)
		}
	}
	p.tellLost(gone, "crash")
}

// tellLost tells the history that rows that were acknowledged are gone, and why.
func (p *pgServer) tellLost(gone []postgres.RowChange, why string) {
	p.db.w.record(&history.Event{Process: p.recorded, Kind: history.OK, Op: history.StoreLost, Truth: true, Clock: p.Now(), Note: why})
	for i := range gone {
		p.tell(&gone[i], 0, p.Now(), true)
	}
}

func (p *pgServer) restart() {
	p.m.node.Start()
	p.engine.Recover()
}
