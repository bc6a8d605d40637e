package slab

import "testing"

func TestWhatIsLentIsDistinctAndZeroAgainAfterReset(t *testing.T) {
	var s Of[int]
	seen := map[*int]bool{}
	for i := range 3 * chunkSize {
		p := s.New()
		if *p != 0 || seen[p] {
			t.Fatalf("value %d is %d, seen before: %t", i, *p, seen[p])
		}
		seen[p] = true
		*p = i + 1
	}
	s.Reset()
	if first := s.Used(); !seen[first] || *first != 1 {
		t.Errorf("after Reset the first value is not the first one as it was left")
	}
	if second := s.New(); !seen[second] || *second != 0 {
		t.Errorf("after Reset New does not give memory back zeroed")
	}
}
