package docs_test

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"dlsim/docs/journal"
	"dlsim/system/lock"
)

var _ lock.Backend = (*journal.Backend)(nil)

// The interface that bring-your-own-lock.md shows is the one that the lock service has.
func TestBackendIsShownAsItIs(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "../system/lock/backend.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var source strings.Builder
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE && g.Specs[0].(*ast.TypeSpec).Name.Name == "Backend" {
			g.Doc = nil
			if err := format.Node(&source, fset, g); err != nil {
				t.Fatal(err)
			}
		}
	}
	page, err := os.ReadFile("bring-your-own-lock.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := strings.ReplaceAll(source.String(), "\n\n", "\n") // where the comments were
	if shown == "" || !strings.Contains(string(page), "```go\n"+shown+"\n```") {
		t.Errorf("bring-your-own-lock.md does not show\n%s", shown)
	}
}
