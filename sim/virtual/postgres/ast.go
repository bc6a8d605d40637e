package postgres

// The syntax tree. Nodes are immutable once parsed, so that worlds may share them.

type node any

type (
	litNode struct { // value nil is NULL; kindUnknown with a string is an untyped literal
		value any
		kind  kind
	}
	paramNode  struct{ n int } // from 0
	columnNode struct{ table, name string }
	binaryNode struct {
		op   string
		l, r node
	}
	notNode  struct{ e node }
	negNode  struct{ e node }
	nullNode struct {
		e   node
		not bool
	}
	inNode struct {
		e    node
		list []node
		not  bool
	}
	anyNode struct {
		op     string
		e, arr node
	}
	whenNode struct{ cond, then node }
	caseNode struct {
		operand node
		whens   []whenNode
		els     node
	}
	castNode struct {
		e  node
		to kind
	}
	callNode struct {
		name string
		args []node
		star bool
	}
	defaultNode struct{}
)

type targetNode struct {
	e    node
	name string
	star string // "*" for all columns, or a table's name for its own; "" for an expression
}

type fromNode struct {
	table, alias string
	left         bool
	on           node // nil for the first, and for a cross join
}

type orderNode struct {
	e          node
	desc       bool
	nullsFirst bool
}

type waitPolicy uint8

const (
	waitBlock waitPolicy = iota
	waitSkip
	waitError
)

type lockNode struct {
	mode   lockMode
	of     []string
	policy waitPolicy
}

type selectNode struct {
	targets       []targetNode
	from          []fromNode
	where         node
	order         []orderNode
	limit, offset node
	lock          *lockNode
}

type setNode struct {
	column string
	e      node
}

type conflictNode struct {
	columns    []string // empty: any unique constraint
	constraint string
	update     bool
	set        []setNode
	where      node
}

type insertNode struct {
	table, alias string
	columns      []string
	rows         [][]node
	conflict     *conflictNode
	returning    []targetNode
}

type updateNode struct {
	table, alias string
	set          []setNode
	where        node
	returning    []targetNode
}

type deleteNode struct {
	table, alias string
	where        node
	returning    []targetNode
}

type txVerb uint8

const (
	txBegin txVerb = iota
	txCommit
	txRollback
)

type txNode struct {
	verb     txVerb
	start    bool      // written START TRANSACTION
	iso      isolation // isoUnset when not named
	readOnly int8      // -1 not named, 0 read write, 1 read only
}

type setTxNode struct{ iso isolation }

type settingNode struct {
	name, value string
	local       bool
}

type showNode struct{ name string }

type columnDef struct {
	name    string
	kind    kind
	notNull bool
	def     node
}

type indexNode struct {
	name    string
	table   string
	columns []string
	primary bool
}

type checkNode struct {
	name string
	e    node
}

type createTableNode struct {
	name    string
	ifNot   bool
	columns []columnDef
	indexes []indexNode
	checks  []checkNode
}

type createSequenceNode struct {
	name             string
	ifNot            bool
	start, increment int64
	startSet         bool
}

type createIndexNode struct {
	indexNode
	ifNot bool
}

// walk calls f with n and every node beneath it.
func walk(n node, f func(node)) {
	if n == nil {
		return
	}
	f(n)
	list := func(nodes ...node) {
		for _, n := range nodes {
			walk(n, f)
		}
	}
	switch n := n.(type) {
	case *binaryNode:
		list(n.l, n.r)
	case *notNode:
		list(n.e)
	case *negNode:
		list(n.e)
	case *nullNode:
		list(n.e)
	case *inNode:
		list(n.e)
		list(n.list...)
	case *anyNode:
		list(n.e, n.arr)
	case *caseNode:
		list(n.operand, n.els)
		for _, w := range n.whens {
			list(w.cond, w.then)
		}
	case *castNode:
		list(n.e)
	case *callNode:
		list(n.args...)
	}
}
