package nemesis

import (
	"fmt"

	"github.com/agnivade/levenshtein"
)

// DidYouMean proposes the nearest of names, in brackets after a space, or nothing where none is near.
func DidYouMean(name string, names []string) string {
	best, distance := "", len(name)/2+2
	for _, n := range names {
		if d := levenshtein.ComputeDistance(name, n); d < distance {
			best, distance = n, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}
