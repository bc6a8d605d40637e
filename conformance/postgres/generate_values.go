package postgres

// valued is about what is not a lock: sequences, clocks, constraints, NULL, a table without keys.
type valued struct{}

func (valued) seeds(g *generator) []string {
	return []string{
		"insert into ev (at, note) values ('2001-01-01 00:00:00+00', 'old')",
		"insert into k values (1, 'one'), (1, 'uno'), (2, null), (null, 'none')",
	}
}

func (w valued) next(g *generator) []Step {
	if g.r.Intn(3) == 0 {
		return []Step{w.one(g)}
	}
	var steps []Step
	for range 1 + g.r.Intn(5) {
		steps = append(steps, w.one(g))
	}
	return g.block(steps...)
}

func (valued) one(g *generator) Step {
	n := g.r.Intn(4)
	note := pick(g, "'old'", "'new'", "'mine'", "null")
	switch g.r.Intn(24) {
	case 0, 1:
		return sql("insert into ev (note, d) values (%s, %s) returning id", note, pick(g, "true", "false", "null"))
	case 2:
		return sql("insert into ev default values returning id, d")
	case 3:
		return sql("select nextval('seq')")
	case 4:
		return sql("select currval('seq')")
	case 5:
		return sql("insert into ev (id, note) values (%d, %s)", n, note)
	case 6: // now() stands still in a transaction
		return sql("select id, note from ev where at = now() order by id")
	case 7:
		return sql("select id from ev where at < now() order by id")
	case 8:
		return sql("select count(*) from ev where at <= clock_timestamp()")
	case 9:
		return sql("update ev set at = now(), d = %s where note = %s returning id", pick(g, "true", "not d", "at = now()"), note)
	case 10:
		return sql("update ev set d = clock_timestamp() > at, note = note || '!' where id = %d returning id, note, d", n)
	case 11:
		return sql("update ev set at = clock_timestamp() where id = %d and at <= now()", n)
	case 12:
		return sql("delete from ev where %s", pick(g, "d", "not d", "d is null", "note = 'old'", "id > 4", "at > now()"))
	case 13:
		return sql("select id, note, d from ev order by id")
	case 14:
		return sql("select s from k where n = %d", n)
	case 15:
		return sql("insert into k values (%s, %s)", pick(g, "1", "2", "3", "null", "150"), pick(g, "'eins'", "null"))
	case 16:
		return sql("update k set n = n + %d where %s", pick(g, 1, 1, 50), pick(g, "n = 1", "s is null", "s = 'one'", "n > 1", "true"))
	case 17:
		return sql("delete from k where n = %d returning s", n)
	case 18:
		return sql("select n, s from k where n is not distinct from %s for %s%s", pick(g, "1", "2", "null"), pick(g, "update", "share"), pick(g, "", " skip locked"))
	case 19:
		return sql("select sum(n), count(*), min(s) from k%s", pick(g, "", " where n = 1", " where false"))
	case 20:
		return sql("select a.s, b.s from k a join k b on a.n = b.n where a.s = 'one' order by b.s")
	case 21:
		return sql("select e.id, k.s from ev e left join k on k.n = e.id order by e.id, k.s")
	case 22:
		return with("select id from ev where d = $1 or note = $2 order by id", g.r.Intn(2) == 0, pick(g, "old", "new"))
	default:
		return sql("%s", pick(g, "select 1 / 0", "show transaction_isolation", "insert into k values (1, 2, 3)", "select nosuch from k", "update ev set id = null where id = 1"))
	}
}
