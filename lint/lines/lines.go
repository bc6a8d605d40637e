// Package lines measures source files: a file holds one idea, and one idea is short.
package lines

import (
	"bytes"
	"io/fs"
	"path"
	"strings"
)

// File is a source file and its number of lines.
type File struct {
	Path  string
	Lines int
}

// Longer returns the Go files of tree with more than limit lines, in path order. It leaves out
// testdata, dot directories, and directories for build output.
func Longer(tree fs.FS, limit int) ([]File, error) {
	var long []File
	err := fs.WalkDir(tree, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); p != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "bin" || name == "vendor") {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(p) != ".go" {
			return nil
		}
		text, err := fs.ReadFile(tree, p)
		if err != nil {
			return err
		}
		if n := count(text); n > limit {
			long = append(long, File{Path: p, Lines: n})
		}
		return nil
	})
	return long, err
}

// count counts a last line that lacks its newline too.
func count(text []byte) int {
	n := bytes.Count(text, []byte("\n"))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}
