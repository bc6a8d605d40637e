package nemesis

import (
	"fmt"

	"github.com/agnivade/levenshtein"
)

// didYouMean proposes the nearest of names, or nothing where none is near.
func didYouMean(name string, names []string) string {
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
