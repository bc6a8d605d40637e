// Package which tells a mutated program which of its mutants is alive. All mutants are compiled
// into one binary and one is woken by the environment, so a run with another mutant costs no build.
package which

import (
	"os"
	"strconv"
)

// Variable is the environment variable that holds the number of the living mutant. Without it, or
// with 0, the program is the original.
const Variable = "DLSIM_MUTANT"

// alive is the living mutant. It is read before any variable of a mutated package is initialised,
// since those packages import this one.
var alive, _ = strconv.Atoi(os.Getenv(Variable))

// reached remembers which places the program came by. Bytes, not a map: places are passed often.
var reached [1 << 16]bool

// Is reports whether mutant n is alive, and notes that its place was reached.
func Is(n int) bool {
	reached[n] = true
	return n == alive
}

// Reached lists the places that the program came by so far, in order.
func Reached() (list []int) {
	for n, yes := range reached {
		if yes {
			list = append(list, n)
		}
	}
	return list
}

// Pick is mutant where n is alive, else original. Both were evaluated.
func Pick[T any](n int, mutant, original T) T {
	if Is(n) {
		return mutant
	}
	return original
}

// Bool asks mutant where n is alive, else original, and never both.
func Bool(n int, mutant, original func() bool) bool {
	if Is(n) {
		return mutant()
	}
	return original()
}

// Swallow is err, or nil where n is alive.
func Swallow(n int, err error) error {
	if Is(n) {
		return nil
	}
	return err
}
