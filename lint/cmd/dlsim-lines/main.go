// Command dlsim-lines fails when a Go file of the tree is longer than -max lines, and warns of
// those longer than -warn: dlsim-lines [-max n] [-warn n] [directory]
package main

import (
	"flag"
	"fmt"
	"os"

	"dlsim/lint/lines"
)

func main() {
	most := flag.Int("max", 500, "longest file allowed, in lines")
	warn := flag.Int("warn", 400, "warn of files longer than this, in lines")
	flag.Parse()
	root := "."
	if flag.NArg() > 0 {
		root = flag.Arg(0)
	}
	long, err := lines.Longer(os.DirFS(root), min(*warn, *most))
	if err != nil {
		fmt.Fprintf(os.Stderr, "dlsim-lines: %v\n", err)
		os.Exit(2)
	}
	failed := false
	for _, f := range long {
		if f.Lines > *most {
			failed = true
			fmt.Fprintf(os.Stderr, "%s: %d lines, %d allowed\n", f.Path, f.Lines, *most)
			continue
		}
		fmt.Fprintf(os.Stderr, "%s: warning: %d lines, keep it under %d\n", f.Path, f.Lines, *warn)
	}
	if failed {
		os.Exit(1)
	}
}
