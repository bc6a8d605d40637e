package etcd

import (
	"fmt"
	"slices"

	fuzz "github.com/google/gofuzz"
)

var (
	keyNames   = []string{"a", "ab", "b", "c", "d"}
	leaseNames = []string{"A", "B", "C", "D"}
)

// Generate draws the program of a seed. Steps that fail are wanted too: an unknown lease, a
// revision of the future, a value that must not be there.
func Generate(seed int64) (p Program) {
	fuzz.NewWithSeed(seed).NilChance(0).Funcs(func(p *Program, c fuzz.Continue) {
		for range c.Intn(3) { // leases first, or else most puts name one that is not there
			*p = append(*p, drawGrant(c))
		}
		for range 4 + c.Intn(14) {
			*p = append(*p, draw(c, len(*p)))
		}
		spare(*p)
		*p = append(*p, ending...)
	}).Fuzz(&p)
	return p
}

// ending shows all that a program has left behind.
var ending = Program{
	{Verb: Get, Key: "\x00", End: "\x00"},
	{Verb: TTL, Lease: "A", Keys: true}, {Verb: TTL, Lease: "B", Keys: true},
	{Verb: TTL, Lease: "C", Keys: true}, {Verb: TTL, Lease: "D", Keys: true},
	{Verb: Leases},
}

func draw(c fuzz.Continue, at int) Step {
	switch n := c.Intn(100); {
	case n < 24:
		return drawPut(c)
	case n < 38:
		return drawGet(c, at)
	case n < 58:
		return drawTxn(c, at)
	case n < 68:
		return drawDelete(c)
	case n < 80:
		return drawGrant(c)
	case n < 86:
		return Step{Verb: Revoke, Lease: pick(c, leaseNames)}
	case n < 91:
		return Step{Verb: KeepAlive, Lease: pick(c, leaseNames)}
	case n < 96:
		return Step{Verb: TTL, Lease: pick(c, leaseNames), Keys: c.RandBool()}
	case n < 98:
		return Step{Verb: Leases}
	}
	return Step{Verb: Compact, Rev: 1 + int64(c.Intn(at+2))} // at 0 the answer hangs on programs before
}

func pick[T any](c fuzz.Continue, from []T) T { return from[c.Intn(len(from))] }

func chance(c fuzz.Continue, percent int) bool { return c.Intn(100) < percent }

func drawGrant(c fuzz.Continue) Step {
	s := Step{Verb: Grant, Lease: pick(c, leaseNames), TTL: 30 + int64(c.Intn(5))*10}
	switch c.Intn(20) {
	case 0:
		s.TTL = 9_000_000_001
	case 1:
		s.TTL = 9_000_000_000
	}
	if chance(c, 30) { // chosen by the client, so that it can be taken already
		s.ID = 100 + int64(c.Intn(3))
	}
	return s
}

func drawPut(c fuzz.Continue) Step {
	s := Step{Verb: Put, Key: pick(c, keyNames), Value: fmt.Sprint("v", c.Intn(4)), Prev: chance(c, 30)}
	if chance(c, 50) {
		s.Lease = pick(c, leaseNames)
	}
	switch c.Intn(12) {
	case 0:
		s.IgnoreValue = true
		if chance(c, 80) {
			s.Value = ""
		}
	case 1:
		s.IgnoreLease = true
		if chance(c, 80) {
			s.Lease = ""
		}
	case 2:
		s.Value = ""
	}
	return s
}

// span is a key alone, a range, or everything from a key on.
func span(c fuzz.Continue) (key, end string) {
	key = pick(c, keyNames)
	switch c.Intn(8) {
	case 0, 1:
		return key, pick(c, keyNames)
	case 2:
		return key, "\x00"
	case 3:
		return "a", "z"
	}
	return key, ""
}

func drawDelete(c fuzz.Continue) Step {
	s := Step{Verb: Delete, Prev: chance(c, 30)}
	s.Key, s.End = span(c)
	return s
}

func drawGet(c fuzz.Continue, at int) Step {
	s := Step{Verb: Get, Serializable: chance(c, 20)}
	s.Key, s.End = span(c)
	if s.End == "" && chance(c, 50) {
		s.Key, s.End = "a", "z"
	}
	if chance(c, 30) {
		s.Rev = 1 + int64(c.Intn(at+2))
	}
	if chance(c, 25) {
		s.Limit = 1 + int64(c.Intn(3))
	}
	switch c.Intn(8) {
	case 0:
		s.Keys = true
	case 1:
		s.Count = true
	}
	if chance(c, 35) {
		s.Sort = pick(c, []string{"key", "version", "create", "mod", "value"}) + "/" + pick(c, []string{"none", "ascend", "descend"})
	}
	if chance(c, 15) {
		s.Filter = pick(c, []string{"min-mod", "max-mod", "min-create", "max-create"})
		s.FilterRev = 1 + int64(c.Intn(at+2))
	}
	return s
}

func drawTxn(c fuzz.Continue, at int) Step {
	s := Step{Verb: Txn}
	for range c.Intn(3) {
		s.If = append(s.If, drawCondition(c, at))
	}
	for range c.Intn(4) {
		s.Then = append(s.Then, drawInner(c, at))
	}
	for range c.Intn(3) {
		s.Else = append(s.Else, drawInner(c, at))
	}
	return s
}

// spare keeps the server alive. Its check for duplicates does not see a transaction that deletes a
// key by a range without end and then puts it. It goes down over such a put if that keeps the key's
// value or lease; and when it compacts at the transaction's revision it loses what was put, and goes
// down over the next read.
func spare(p Program) {
	compacts := slices.ContainsFunc(p, func(s Step) bool { return s.Verb == Compact })
	for _, s := range p {
		for _, branch := range [][]Step{s.Then, s.Else} {
			if !slices.ContainsFunc(branch, func(s Step) bool { return s.Verb == Put && (compacts || s.IgnoreValue || s.IgnoreLease) }) {
				continue
			}
			for i := range branch {
				if branch[i].Verb == Delete && branch[i].End == "\x00" {
					branch[i].End = "z"
				}
			}
		}
	}
}

func drawInner(c fuzz.Continue, at int) Step {
	switch n := c.Intn(10); {
	case n < 5:
		return drawPut(c)
	case n < 8:
		return drawGet(c, at)
	}
	return drawDelete(c)
}

func drawCondition(c fuzz.Continue, at int) Condition {
	out := Condition{Key: pick(c, keyNames), Is: pick(c, []string{"=", "=", "!=", ">", "<"})}
	if chance(c, 15) {
		out.Key, out.End = "a", pick(c, []string{"c", "z"})
	}
	switch c.Intn(6) {
	case 0:
		out.Target, out.Value = "value", fmt.Sprint("v", c.Intn(4))
	case 1:
		out.Target, out.Lease = "lease", pick(c, leaseNames)
	case 2:
		out.Target, out.Number = "version", int64(c.Intn(3))
	case 3:
		out.Target, out.Number = "mod", int64(c.Intn(at+2))
	default: // what locks are made of
		out.Target = "create"
		if chance(c, 40) {
			out.Number = 1 + int64(c.Intn(at+2))
		}
	}
	return out
}
