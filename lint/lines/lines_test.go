package lines_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"dlsim/lint/lines"
)

func TestLonger(t *testing.T) {
	source := func(n int) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(strings.Repeat("x\n", n))}
	}
	tree := fstest.MapFS{
		"a/long.go":             source(11),
		"a/exact.go":            source(10),
		"a/long_test.go":        source(12),
		"a/open.go":             &fstest.MapFile{Data: []byte(strings.Repeat("x\n", 10) + "x")},
		"a/long.txt":            source(99),
		"a/testdata/long.go":    source(99),
		".git/long.go":          source(99),
		"bin/long.go":           source(99),
		"empty/nothing.go":      source(0),
		"a/binary/also/long.go": source(13),
	}
	got, err := lines.Longer(tree, 10)
	if err != nil {
		t.Fatal(err)
	}
	want := []lines.File{
		{Path: "a/binary/also/long.go", Lines: 13},
		{Path: "a/long.go", Lines: 11},
		{Path: "a/long_test.go", Lines: 12},
		{Path: "a/open.go", Lines: 11},
	}
	if !slices.Equal(got, want) {
		t.Errorf("Longer = %v, want %v", got, want)
	}
}
