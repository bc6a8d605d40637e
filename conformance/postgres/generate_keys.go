package postgres

import "fmt"

// keyed is everything that row locks and unique indexes can come to, on two small tables.
type keyed struct{}

func (keyed) seeds(g *generator) []string {
	out := []string{"insert into t values (1, 1, 'a'), (2, 2, 'b'), (3, 3, null)"}
	if g.r.Intn(2) == 0 {
		out = append(out, "insert into p values (1, 'x', 1), (1, 'y', 2), (2, 'x', 3)")
	}
	return out
}

func (w keyed) next(g *generator) []Step {
	if g.r.Intn(3) == 0 {
		return []Step{w.one(g)}
	}
	var steps []Step
	for range 1 + g.r.Intn(4) {
		steps = append(steps, w.one(g))
	}
	return g.block(steps...)
}

func (keyed) lock(g *generator) string {
	return pick(g, "for update", "for update", "for no key update", "for share", "for key share") +
		pick(g, "", "", "", " nowait", " skip locked")
}

// where is a condition on t.
func (w keyed) where(g *generator) string {
	i, v := 1+g.r.Intn(4), g.r.Intn(10)
	switch g.r.Intn(12) {
	case 0:
		return fmt.Sprintf("v > %d", v)
	case 1:
		return fmt.Sprintf("id <= %d", i)
	case 2:
		return fmt.Sprintf("v %% 2 = %d", v%2)
	case 3:
		return pick(g, "u is null", "u is not null", "u = 'a'", "u in ('a', 'b')", "u <> 'a'", "coalesce(u, 'c') = 'c'")
	case 4:
		return fmt.Sprintf("id in (%d, %d)", i, 1+g.r.Intn(4))
	case 5:
		return fmt.Sprintf("id = %d and v between %d and %d", i, v/2, v+3)
	case 6:
		return fmt.Sprintf("id = %d or v = %d", i, v)
	case 7:
		return fmt.Sprintf("not (v < %d)", v)
	default:
		return fmt.Sprintf("id = %d", i)
	}
}

// set is the SET list of an update of t.
func (w keyed) set(g *generator) string {
	switch g.r.Intn(10) {
	case 0:
		return fmt.Sprintf("id = %d", 1+g.r.Intn(5))
	case 1:
		return "u = " + pick(g, "'a'", "'b'", "'c'", "null")
	case 2:
		return fmt.Sprintf("v = %d, u = %s", g.r.Intn(9), pick(g, "'a'", "'d'", "null", "u"))
	case 3:
		return "id = id + " + pick(g, "0", "10")
	case 4:
		return "v = case when v > 5 then 0 else v + 3 end"
	default:
		return pick(g, "v = v + 1", fmt.Sprintf("v = %d", g.r.Intn(9)), "v = v * 2")
	}
}

func (w keyed) one(g *generator) Step {
	i, v := 1+g.r.Intn(4), g.r.Intn(10)
	u := pick(g, "'a'", "'b'", "'c'", "null")
	switch g.r.Intn(27) {
	case 0, 1, 2, 3:
		return sql("update t set %s where %s%s", w.set(g), w.where(g), pick(g, "", " returning id, v", " returning *"))
	case 4:
		return with("update t set v = v + $2 where id = $1 and v < $3", i, v, 5+v)
	case 5:
		return sql("delete from t where %s returning id, v", w.where(g))
	case 6:
		return sql("delete from t where id = %d", i)
	case 7:
		return sql("insert into t values (%d, %d, %s)", i, v, u)
	case 8:
		return sql("insert into t values (%d, %d, %s), (%d, %d, null) returning id", i+3, v, u, i+4, v)
	case 9:
		return sql("insert into t values (%d, %d, %s) on conflict do nothing returning id", i, v, u)
	case 10:
		return sql("insert into t values (%d, %d, %s), (%d, 0, %s) on conflict (%s) do nothing", i, v, u, i+1, pick(g, "'d'", "'a'", "null"), pick(g, "id", "u"))
	case 11:
		return sql("insert into t values (%d, %d) on conflict (id) do update set v = t.v + excluded.v returning id, v", i, v)
	case 12:
		return sql("insert into t values (%d, %d, %s) on conflict (u) do update set v = t.v + excluded.v where t.v < 12 returning id, v", i, v, u)
	case 13:
		return sql("insert into t values (%d, %d) on conflict (id) do update set v = excluded.v where t.v < excluded.v returning id, v", i, v)
	case 14:
		return with("insert into t (id, v) values ($1, $2) on conflict on constraint t_pkey do update set v = excluded.v, u = null where t.v < excluded.v", i, v)
	case 15:
		return sql("insert into t values (%d, %d) on conflict (id) do update set id = t.id + 5", i, v)
	case 16:
		return sql("select id, v, u from t where %s order by id", w.where(g))
	case 17:
		return sql("select * from t order by %s", pick(g, "id", "v, id", "u nulls first, id", "v desc, id desc"))
	case 18:
		return sql("select %s from t", pick(g, "count(*)", "count(u), min(v), max(u)", "sum(v)", "max(id)"))
	case 19, 20:
		return sql("select id, v from t where %s %s", w.where(g), w.lock(g))
	case 21:
		return sql("select id, v from t order by %s %s", pick(g, "id", "id desc", "v, id"), w.lock(g))
	case 22:
		return sql("select id, v from t order by id limit %d %s", 1+g.r.Intn(2), pick(g, "", "for update", "for update skip locked", "for share"))
	case 23:
		return sql("select t.id, p.b, p.n from t join p on p.a = t.id where t.id = %d order by p.b", i)
	case 24:
		return sql("insert into p values (%d, '%s', %d) on conflict (a, b) do update set n = p.n + excluded.n returning n", pick(g, 1, 1, 2), pick(g, "x", "y"), pick(g, 1, 2, 600))
	case 25:
		return sql("update p set %s where a = %d and b = '%s'", pick(g, "n = n + 1", "n = n + 700", "b = 'z'", "a = 2"), pick(g, 1, 2), pick(g, "x", "y", "z"))
	default:
		return sql("delete from p where a = %d returning b, n", pick(g, 1, 2))
	}
}

// crowded is many sessions at two rows: long queues, and the deadlocks that they lead to.
type crowded struct{}

func (crowded) seeds(*generator) []string {
	return []string{"insert into t values (1, 1, 'a'), (2, 2, 'b')"}
}

func (w crowded) next(g *generator) []Step {
	var steps []Step
	for range 2 + g.r.Intn(2) {
		steps = append(steps, w.one(g))
	}
	return g.block(steps...)
}

func (crowded) one(g *generator) Step {
	i := 1 + g.r.Intn(2)
	switch g.r.Intn(8) {
	case 0:
		return sql("update t set v = v + 1 where id = %d returning v", i)
	case 1:
		return sql("update t set u = %s where id = %d", pick(g, "'c'", "null", "u"), i)
	case 2:
		return sql("delete from t where id = %d and v > %d", i, g.r.Intn(4))
	case 3:
		return sql("insert into t values (%d, 5) on conflict (id) do update set v = t.v + 1", i)
	default:
		return sql("select v from t where id = %d %s", i, pick(g, "for update", "for no key update", "for share", "for share", "for share", "for key share"))
	}
}
