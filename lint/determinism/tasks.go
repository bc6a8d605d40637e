package determinism

import (
	"go/ast"
	"go/token"
	"go/types"

	"dlsim/lint/place"

	"golang.org/x/tools/go/analysis"
)

// Tasks reports goroutines and channels: the Go scheduler would decide what the world's own must.
//
// The interfaces of libraries ask for channels (context.Context's Done, clientv3.Lease's KeepAlive),
// so in sim/virtual a method may have a receive-only channel as its result. It can only answer nil,
// since making a channel stays forbidden: code under test waits through its host.
var Tasks = &analysis.Analyzer{
	Name: "dlsimtasks",
	Doc:  "report go statements, channels and select where the world's scheduler must decide",
	Run:  runTasks,
}

func runTasks(pass *analysis.Pass) (any, error) {
	at := place.Of(pass)
	if !at.Deterministic() {
		return nil, nil
	}
	for _, file := range place.Sources(pass) {
		c := tasksCheck{pass: pass, virtual: at.Virtual()}
		ast.Inspect(file, c.visit)
	}
	return nil, nil
}

type tasksCheck struct {
	pass    *analysis.Pass
	virtual bool
	// results are the result types that the method last entered may have.
	results map[ast.Expr]bool
}

func (c *tasksCheck) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncDecl:
		c.results = map[ast.Expr]bool{}
		if c.virtual && n.Recv != nil && n.Type.Results != nil {
			for _, r := range n.Type.Results.List {
				if ch, ok := r.Type.(*ast.ChanType); ok && ch.Dir == ast.RECV {
					c.results[ch] = true
				}
			}
		}
	case *ast.GoStmt:
		c.pass.Reportf(n.Pos(), "go statement is not allowed here: start tasks with the host's Go")
	case *ast.SelectStmt:
		c.pass.Reportf(n.Pos(), "select is not allowed here: it chooses at random among what is ready")
	case *ast.SendStmt:
		c.pass.Reportf(n.Arrow, "channel send is not allowed here: the Go scheduler decides who wakes")
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			c.pass.Reportf(n.OpPos, "channel receive is not allowed here: the Go scheduler decides who wakes")
		}
	case *ast.RangeStmt:
		if isChan(c.pass.TypesInfo.TypeOf(n.X)) {
			c.pass.Reportf(n.For, "range over a channel is not allowed here: the Go scheduler decides who wakes")
		}
	case *ast.ChanType:
		if !c.results[n] {
			c.pass.Reportf(n.Pos(), "channel type is not allowed here: the Go scheduler decides who wakes")
		}
	case *ast.CallExpr:
		if b, ok := calleeOf(c.pass, n).(*types.Builtin); ok && b.Name() == "close" {
			c.pass.Reportf(n.Pos(), "closing a channel is not allowed here: the Go scheduler decides who wakes")
		}
	}
	return true
}

func isChan(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Chan)
	return ok
}
