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
// A context.Context has to have a Done channel, so in sim/virtual a method Done() <-chan struct{}
// may have its signature. It answers nil: code under test waits for a context through its host.
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
	// signature is the result type of the Done method last entered.
	signature ast.Expr
}

func (c *tasksCheck) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncDecl:
		if c.virtual && isDoneMethod(n) {
			c.signature = n.Type.Results.List[0].Type
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
		if n != c.signature {
			c.pass.Reportf(n.Pos(), "channel type is not allowed here: the Go scheduler decides who wakes")
		}
	case *ast.CallExpr:
		if b, ok := calleeOf(c.pass, n).(*types.Builtin); ok && b.Name() == "close" {
			c.pass.Reportf(n.Pos(), "closing a channel is not allowed here: the Go scheduler decides who wakes")
		}
	}
	return true
}

// isDoneMethod reports whether f is a method Done() <-chan struct{}.
func isDoneMethod(f *ast.FuncDecl) bool {
	if f.Recv == nil || f.Name.Name != "Done" || f.Type.Params.NumFields() != 0 || f.Type.Results.NumFields() != 1 {
		return false
	}
	ch, ok := f.Type.Results.List[0].Type.(*ast.ChanType)
	return ok && ch.Dir == ast.RECV && isEmptyStruct(ch.Value)
}

func isEmptyStruct(e ast.Expr) bool {
	s, ok := e.(*ast.StructType)
	return ok && s.Fields.NumFields() == 0
}

func isChan(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Chan)
	return ok
}
