package mutation

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/packages"
)

// planter plants bugs in one file.
type planter struct {
	fset  *token.FileSet
	info  *types.Info
	file  *token.File
	name  string // relative to the module
	src   []byte
	next  int // number of the next mutant
	fn    string
	skip  func(code string) bool
	found []Mutant
	wraps []wrap

	header map[ast.Stmt]bool // statements that stand in the head of another
	consts []int             // offsets of "const" that must become "var"
}

func newPlanter(pkg *packages.Package, f *ast.File, name string, src []byte, first int) *planter {
	return &planter{
		fset: pkg.Fset, info: pkg.TypesInfo, file: pkg.Fset.File(f.Package), name: name, src: src,
		next: first, header: map[ast.Stmt]bool{},
	}
}

// plantAll visits the whole file.
func (p *planter) plantAll(f *ast.File) []byte {
	ast.Inspect(f, p.visit)
	src := bytes.Clone(p.src)
	for _, at := range p.consts {
		copy(src[at:], "var  ") // as long as "const", so that offsets stay
	}
	at := p.offset(f.Name.End())
	return rewrite(src, append(p.wraps, wrap{at, at, "", "; import \"dlsim/mutation/which\""}))
}

func (p *planter) offset(pos token.Pos) int { return p.file.Offset(pos) }

func (p *planter) text(n ast.Node) string { return string(p.src[p.offset(n.Pos()):p.offset(n.End())]) }

// plant notes a mutant of n and returns its number.
func (p *planter) plant(n ast.Node, operator, to string) int {
	id := p.next
	p.next++
	p.found = append(p.found, Mutant{id, p.name, p.fset.Position(n.Pos()).Line, p.fn, operator, oneLine(p.text(n)), oneLine(to)})
	return id
}

func (p *planter) wrap(n ast.Node, before, after string) {
	p.wraps = append(p.wraps, wrap{p.offset(n.Pos()), p.offset(n.End()), before, after})
}

// either makes e a choice of two conditions.
func (p *planter) either(e ast.Expr, operator, mutant string) {
	id := p.plant(e, operator, mutant)
	p.wrap(e, fmt.Sprintf("which.Bool(%d, func() bool { return %s }, func() bool { return ", id, mutant), " })")
}

func (p *planter) constant(e ast.Expr) bool { return p.info.Types[e].Value != nil }

// swapped gives the operator that a comparison or connective is most easily taken for.
var swapped = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LAND: token.LOR, token.LOR: token.LAND,
}

// visit plants what can be planted at n. It reports whether to look inside.
func (p *planter) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncDecl:
		p.fn = n.Name.Name
		if n.Recv != nil && len(n.Recv.List) == 1 {
			p.fn = strings.TrimLeft(p.text(n.Recv.List[0].Type), "*") + "." + p.fn
		}
	case *ast.GenDecl:
		if n.Tok == token.CONST {
			return p.constants(n)
		}
		return n.Tok == token.VAR
	case *ast.BinaryExpr:
		p.binary(n)
	case *ast.ForStmt:
		p.header[n.Init], p.header[n.Post] = true, true
	case *ast.SwitchStmt:
		p.header[n.Init] = true
	case *ast.IfStmt:
		p.header[n.Init] = true
		p.condition(n.Cond)
	case *ast.CaseClause:
		p.clause(n)
	case *ast.ExprStmt, *ast.AssignStmt, *ast.IncDecStmt:
		p.statement(n.(ast.Stmt))
	case *ast.ReturnStmt:
		p.returned(n)
	case *ast.CallExpr:
		p.call(n)
	case *ast.BasicLit:
		if n.Kind == token.STRING && isSQL(n.Value) {
			p.sql(n)
		}
	case *ast.StructType, *ast.InterfaceType:
		return false
	}
	return true
}

func (p *planter) binary(n *ast.BinaryExpr) {
	if p.constant(n) {
		return
	}
	x, op, y := p.text(n.X), n.Op, p.text(n.Y)
	if to, ok := swapped[op]; ok {
		mutant := x + " " + to.String() + " " + y
		if op == token.LAND || op == token.LOR {
			mutant = "(" + x + ") " + to.String() + " (" + y + ")"
		}
		p.either(n, "comparison", mutant)
		return
	}
	if op != token.ADD && op != token.SUB {
		return
	}
	if b, ok := p.info.TypeOf(n).Underlying().(*types.Basic); !ok || b.Info()&types.IsInteger == 0 {
		return
	}
	to := map[token.Token]token.Token{token.ADD: token.SUB, token.SUB: token.ADD}[op]
	mutant := x + " " + to.String() + " " + y
	id := p.plant(n, "arithmetic", mutant)
	p.wrap(n, fmt.Sprintf("which.Pick(%d, %s, ", id, mutant), ")")
}

// condition negates one, unless a swapped comparison is the same.
func (p *planter) condition(e ast.Expr) {
	if b, ok := e.(*ast.BinaryExpr); ok && (b.Op == token.EQL || b.Op == token.NEQ) {
		return
	}
	id := p.plant(e, "negated", "!("+p.text(e)+")")
	p.wrap(e, fmt.Sprintf("which.Is(%d) != (", id), ")")
}

// clause drops one condition of a switch without a tag.
func (p *planter) clause(n *ast.CaseClause) {
	for _, e := range n.List {
		if b, ok := p.info.TypeOf(e).Underlying().(*types.Basic); !ok || b.Info()&types.IsBoolean == 0 || p.constant(e) {
			continue
		}
		id := p.plant(e, "case dropped", "false")
		p.wrap(e, fmt.Sprintf("!which.Is(%d) && (", id), ")")
	}
}

// statement leaves one out.
func (p *planter) statement(s ast.Stmt) {
	if a, ok := s.(*ast.AssignStmt); ok && (a.Tok == token.DEFINE || p.text(a.Lhs[0]) == "_" && len(a.Lhs) == 1 && !isCall(a.Rhs[0])) {
		return
	}
	if p.header[s] || p.skip(p.text(s)) {
		return
	}
	id := p.plant(s, "left out", "")
	p.wrap(s, fmt.Sprintf("if !which.Is(%d) { ", id), " }")
}

func isCall(e ast.Expr) bool {
	_, ok := e.(*ast.CallExpr)
	return ok
}

// returned turns a truth, swallows an error and takes one outcome for another.
func (p *planter) returned(n *ast.ReturnStmt) {
	for _, e := range n.Results {
		t := p.info.TypeOf(e)
		if t == nil {
			continue
		}
		id, isIdent := ast.Unparen(e).(*ast.Ident)
		switch {
		case isIdent && (id.Name == "true" || id.Name == "false"):
			k := p.plant(e, "returned", map[string]string{"true": "false", "false": "true"}[id.Name])
			p.wrap(e, fmt.Sprintf("which.Is(%d) != ", k), "")
		case isIdent && id.Name == "nil":
		case types.Identical(t, types.Universe.Lookup("error").Type()):
			k := p.plant(e, "error swallowed", "nil")
			p.wrap(e, fmt.Sprintf("which.Swallow(%d, ", k), ")")
		default:
			for _, other := range p.siblings(e) {
				k := p.plant(e, "outcome", other)
				p.wrap(e, fmt.Sprintf("which.Pick(%d, %s, ", k, other), ")")
			}
		}
	}
}

// siblings lists the other constants of e's type where e is a constant of a numbered type.
func (p *planter) siblings(e ast.Expr) (names []string) {
	named, ok := p.info.TypeOf(e).(*types.Named)
	if !ok || !p.constant(e) || p.info.Types[e].Value.Kind() != constant.Int || named.Obj().Pkg() == nil {
		return nil
	}
	if b, ok := named.Underlying().(*types.Basic); !ok || b.Kind() != types.Uint8 {
		return nil
	}
	prefix := ""
	switch x := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		prefix = p.text(x.X) + "."
	case *ast.Ident:
	default:
		return nil
	}
	scope := named.Obj().Pkg().Scope()
	for _, name := range scope.Names() {
		c, ok := scope.Lookup(name).(*types.Const)
		if ok && types.Identical(c.Type(), named) && prefix+name != p.text(e) {
			names = append(names, prefix+name)
		}
	}
	return names
}

// call takes the smaller for the greater.
func (p *planter) call(n *ast.CallExpr) {
	id, ok := n.Fun.(*ast.Ident)
	if !ok || id.Name != "min" && id.Name != "max" || p.constant(n) {
		return
	}
	to := map[string]string{"min": "max", "max": "min"}[id.Name] + strings.TrimPrefix(p.text(n), id.Name)
	k := p.plant(n, "arithmetic", to)
	p.wrap(n, fmt.Sprintf("which.Pick(%d, %s, ", k, to), ")")
}

// constants makes variables of a block of texts with SQL in it. Other blocks stay.
func (p *planter) constants(n *ast.GenDecl) bool {
	code := p.text(n)
	if !strings.Contains(code, "WHERE") || strings.Contains(code, "iota") {
		return false
	}
	p.consts = append(p.consts, p.offset(n.TokPos))
	return true
}
