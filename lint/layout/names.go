package layout

import (
	"path"
	"path/filepath"
	"strings"

	"dlsim/lint/place"

	"golang.org/x/tools/go/analysis"
)

// Names reports packages and files named for nothing. Such a name gathers whatever has no place,
// and says nothing to the reader who looks for one idea a file.
var Names = &analysis.Analyzer{
	Name: "dlsimnames",
	Doc:  "report packages and files named util, common, helpers or types",
	Run:  runNames,
}

var emptyNames = map[string]bool{
	"util": true, "utils": true, "common": true, "helper": true, "helpers": true,
	"type": true, "types": true, "misc": true,
}

func runNames(pass *analysis.Pass) (any, error) {
	at := place.Of(pass)
	if at == place.Outside {
		return nil, nil
	}
	for i, file := range pass.Files {
		name := filepath.Base(pass.Fset.Position(file.FileStart).Filename)
		stem := strings.TrimSuffix(strings.TrimSuffix(name, ".go"), "_test")
		if emptyNames[stem] {
			pass.Reportf(file.Package, "file name %s says nothing: name the file for the idea in it", name)
		}
		if i == 0 && (emptyNames[pass.Pkg.Name()] || emptyNames[path.Base(string(at))]) {
			pass.Reportf(file.Name.Pos(), "package %s says nothing: name the package for what it provides", at)
		}
	}
	return nil, nil
}
