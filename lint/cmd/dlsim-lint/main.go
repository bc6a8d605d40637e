// Command dlsim-lint runs the module's analyzers: dlsim-lint ./...
//
// It also serves as a tool of go vet, which caches what it found: go vet -vettool=bin/dlsim-lint ./...
package main

import (
	"dlsim/lint"

	"golang.org/x/tools/go/analysis/multichecker"
)

func main() {
	multichecker.Main(lint.Analyzers()...)
}
