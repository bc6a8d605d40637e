package mutation

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Planted is a module with bugs planted in some of its packages. The module itself is untouched:
// Overlay is what the go command is given by -overlay.
type Planted struct {
	Mutants []Mutant
	Overlay string // file
}

// Plant plants bugs in the packages that match patterns, in the module at dir, and writes the
// changed files and the overlay to the folder out. Statements that match skip are not left out.
func Plant(dir, out string, patterns []string, skip *regexp.Regexp) (*Planted, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	pkgs, err := packages.Load(&packages.Config{Dir: dir, Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax |
		packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports}, patterns...)
	if err != nil {
		return nil, fmt.Errorf("load %v: %w", patterns, err)
	}
	planted := &Planted{Overlay: filepath.Join(out, "overlay.json")}
	overlay := map[string]string{}
	for _, pkg := range pkgs {
		if len(pkg.Errors) > 0 {
			return nil, fmt.Errorf("load %s: %v", pkg.PkgPath, pkg.Errors[0])
		}
		for _, f := range pkg.Syntax {
			path := pkg.Fset.Position(f.Package).Filename
			src, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			name, err := filepath.Rel(dir, path)
			if err != nil {
				return nil, err
			}
			p := newPlanter(pkg, f, filepath.ToSlash(name), src, len(planted.Mutants)+1)
			p.skip = func(code string) bool { return skip != nil && skip.MatchString(code) }
			changed := p.plantAll(f)
			if len(p.found) == 0 {
				continue
			}
			planted.Mutants = append(planted.Mutants, p.found...)
			overlay[path] = filepath.Join(out, strconv.Itoa(len(overlay))+"_"+strings.ReplaceAll(p.name, "/", "_"))
			if err := os.WriteFile(overlay[path], changed, 0o644); err != nil {
				return nil, err
			}
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		return nil, err
	}
	return planted, os.WriteFile(planted.Overlay, text, 0o644)
}

// Sample keeps at most n of the mutants, spread evenly over them.
func Sample(mutants []Mutant, n int) []Mutant {
	if len(mutants) <= n {
		return slices.Clone(mutants)
	}
	kept := make([]Mutant, 0, n)
	for k := range n {
		kept = append(kept, mutants[k*len(mutants)/n])
	}
	return kept
}
