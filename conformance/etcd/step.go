package etcd

import (
	"fmt"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// Verb says what a step does.
type Verb string

// What steps can do.
const (
	Put       Verb = "put"
	Get       Verb = "get"
	Delete    Verb = "del"
	Txn       Verb = "txn"
	Compact   Verb = "compact"
	Grant     Verb = "grant"
	Revoke    Verb = "revoke"
	KeepAlive Verb = "keepalive"
	TTL       Verb = "ttl"
	Leases    Verb = "leases"
	Advance   Verb = "advance"
	Handover  Verb = "lose-leader"
)

// Step is one request, or the passing of time. Its fields are those that its verb has use for.
// Revisions count from 1 at the program's start; leases have the names that grants gave them.
type Step struct {
	Verb Verb

	Key, End, Value string
	Lease           string
	TTL             int64
	ID              int64 // of a grant: 0 lets the server choose
	Prev            bool
	IgnoreValue     bool
	IgnoreLease     bool
	Keys            bool // of a get: keys only; of a ttl: attached keys too
	Count           bool
	Serializable    bool
	Rev, Limit      int64
	Sort            string // "mod/descend"
	Filter          string // "min-mod", "max-create", …
	FilterRev       int64

	If         []Condition
	Then, Else []Step

	For time.Duration
}

// Condition is one comparison of a transaction.
type Condition struct {
	Target   string // value, create, mod, version, lease
	Key, End string
	Is       string // =, !=, >, <
	Value    string
	Number   int64
	Lease    string
}

// Program is the steps of one run.
type Program []Step

func (c Condition) String() string {
	key := c.Key
	if c.End != "" {
		key += ".." + c.End
	}
	v := fmt.Sprint(c.Number)
	switch c.Target {
	case "value":
		v = c.Value
	case "lease":
		v = c.Lease
	}
	return fmt.Sprintf("%s %s %s %s", c.Target, key, c.Is, v)
}

// String writes the step as scripts have it.
func (s Step) String() string {
	w := []string{string(s.Verb)}
	add := func(when bool, format string, a ...any) {
		if when {
			w = append(w, fmt.Sprintf(format, a...))
		}
	}
	switch s.Verb {
	case Put:
		add(true, "%s", s.Key)
		add(s.Value != "", "%s", s.Value)
		add(s.Lease != "", "lease=%s", s.Lease)
		add(s.Prev, "prev")
		add(s.IgnoreValue, "ignore-value")
		add(s.IgnoreLease, "ignore-lease")
	case Get, Delete:
		add(true, "%s", visible(s.Key))
		add(s.End != "", "%s", visible(s.End))
		add(s.Prev, "prev")
		add(s.Rev != 0, "rev=%d", s.Rev)
		add(s.Limit != 0, "limit=%d", s.Limit)
		add(s.Keys, "keys")
		add(s.Count, "count")
		add(s.Serializable, "serializable")
		add(s.Sort != "", "sort=%s", s.Sort)
		add(s.Filter != "", "%s=%d", s.Filter, s.FilterRev)
	case Txn:
		for i, c := range s.If {
			add(i == 0, "if %s", c)
			add(i > 0, "and %s", c)
		}
		add(len(s.Then) > 0, "then %s", join(s.Then))
		add(len(s.Else) > 0, "else %s", join(s.Else))
	case Compact:
		add(true, "%d", s.Rev)
	case Grant:
		add(true, "%s %d", s.Lease, s.TTL)
		add(s.ID != 0, "%d", s.ID)
	case Revoke, KeepAlive:
		add(true, "%s", s.Lease)
	case TTL:
		add(true, "%s", s.Lease)
		add(s.Keys, "keys")
	case Advance:
		add(true, "%v", s.For)
	}
	return strings.Join(w, " ")
}

func visible(key string) string { return strings.ReplaceAll(key, "\x00", `\0`) }

func join(steps []Step) string {
	var out []string
	for _, s := range steps {
		out = append(out, s.String())
	}
	return strings.Join(out, " ; ")
}

// op is the clientv3 operation of a put, get, delete or transaction in a world.
func (w *world) op(s Step) clientv3.Op {
	switch s.Verb {
	case Put:
		var o []clientv3.OpOption
		if s.Lease != "" {
			o = append(o, clientv3.WithLease(w.lease(s.Lease)))
		}
		if s.Prev {
			o = append(o, clientv3.WithPrevKV())
		}
		if s.IgnoreValue {
			o = append(o, clientv3.WithIgnoreValue())
		}
		if s.IgnoreLease {
			o = append(o, clientv3.WithIgnoreLease())
		}
		return clientv3.OpPut(s.Key, s.Value, o...)
	case Delete:
		var o []clientv3.OpOption
		if s.End != "" {
			o = append(o, clientv3.WithRange(s.End))
		}
		if s.Prev {
			o = append(o, clientv3.WithPrevKV())
		}
		return clientv3.OpDelete(s.Key, o...)
	case Get:
		return clientv3.OpGet(s.Key, w.rangeOptions(s)...)
	case Txn:
		var conds []clientv3.Cmp
		for _, c := range s.If {
			conds = append(conds, w.condition(c))
		}
		return clientv3.OpTxn(conds, w.ops(s.Then), w.ops(s.Else))
	}
	panic("no operation: " + s.String())
}

func (w *world) ops(steps []Step) (ops []clientv3.Op) {
	for _, s := range steps {
		ops = append(ops, w.op(s))
	}
	return ops
}

func (w *world) rangeOptions(s Step) (o []clientv3.OpOption) {
	add := func(when bool, opt clientv3.OpOption) {
		if when {
			o = append(o, opt)
		}
	}
	add(s.End != "", clientv3.WithRange(s.End))
	add(s.Rev != 0, clientv3.WithRev(w.absolute(s.Rev)))
	add(s.Limit != 0, clientv3.WithLimit(s.Limit))
	add(s.Keys, clientv3.WithKeysOnly())
	add(s.Count, clientv3.WithCountOnly())
	add(s.Serializable, clientv3.WithSerializable())
	if target, order, ok := strings.Cut(s.Sort, "/"); ok {
		o = append(o, clientv3.WithSort(sortTargets[target], sortOrders[order]))
	}
	rev := w.absolute(s.FilterRev)
	switch s.Filter {
	case "min-mod":
		o = append(o, clientv3.WithMinModRev(rev))
	case "max-mod":
		o = append(o, clientv3.WithMaxModRev(rev))
	case "min-create":
		o = append(o, clientv3.WithMinCreateRev(rev))
	case "max-create":
		o = append(o, clientv3.WithMaxCreateRev(rev))
	}
	return o
}

var sortTargets = map[string]clientv3.SortTarget{
	"key": clientv3.SortByKey, "version": clientv3.SortByVersion, "create": clientv3.SortByCreateRevision,
	"mod": clientv3.SortByModRevision, "value": clientv3.SortByValue,
}

var sortOrders = map[string]clientv3.SortOrder{
	"none": clientv3.SortNone, "ascend": clientv3.SortAscend, "descend": clientv3.SortDescend,
}

func (w *world) condition(c Condition) clientv3.Cmp {
	var cmp clientv3.Cmp
	switch c.Target {
	case "value":
		cmp = clientv3.Compare(clientv3.Value(c.Key), c.Is, c.Value)
	case "create":
		cmp = clientv3.Compare(clientv3.CreateRevision(c.Key), c.Is, w.absolute(c.Number))
	case "mod":
		cmp = clientv3.Compare(clientv3.ModRevision(c.Key), c.Is, w.absolute(c.Number))
	case "version":
		cmp = clientv3.Compare(clientv3.Version(c.Key), c.Is, c.Number)
	case "lease":
		cmp = clientv3.Compare(clientv3.LeaseValue(c.Key), c.Is, w.lease(c.Lease))
	}
	if c.End != "" {
		cmp = cmp.WithRange(c.End)
	}
	return cmp
}
