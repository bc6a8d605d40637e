package runner

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Seeds is a range of seeds, both ends included, or one shard of it.
type Seeds struct {
	From, To uint64
	// Shard of Of: this shard takes the seeds whose place in the range, counted from 0, leaves
	// Shard-1 when divided by Of. Of is 0 when there is one shard only.
	Shard, Of uint64
}

// ParseSeeds reads "n" or "a..b".
func ParseSeeds(text string) (Seeds, error) {
	first, last, isRange := strings.Cut(text, "..")
	if !isRange {
		last = first
	}
	from, err1 := strconv.ParseUint(first, 10, 64)
	to, err2 := strconv.ParseUint(last, 10, 64)
	switch {
	case err1 != nil || err2 != nil:
		return Seeds{}, fmt.Errorf("seeds %q: want a range such as 1..1000, of whole numbers from 0 to %d", text, uint64(math.MaxUint64))
	case to < from:
		return Seeds{}, fmt.Errorf("seeds %q: the range ends before it begins: turn it around, %d..%d", text, to, from)
	case to-from == math.MaxUint64:
		return Seeds{}, fmt.Errorf("seeds %q: the range is too long to count: leave one seed out", text)
	}
	return Seeds{From: from, To: to}, nil
}

// Take returns shard "i/n" of s, or s itself for "".
func (s Seeds) Take(shard string) (Seeds, error) {
	if shard == "" {
		return s, nil
	}
	left, right, _ := strings.Cut(shard, "/")
	i, err1 := strconv.ParseUint(left, 10, 64)
	n, err2 := strconv.ParseUint(right, 10, 64)
	if err1 != nil || err2 != nil || i < 1 || n < 1 || i > n {
		return Seeds{}, fmt.Errorf("shard %q: want i/n with 1 <= i <= n, such as 2/8", shard)
	}
	s.Shard, s.Of = i, n
	return s, nil
}

// Len is how many seeds there are.
func (s Seeds) Len() uint64 {
	n := s.To - s.From + 1
	if s.Of == 0 {
		return n
	}
	if n < s.Shard {
		return 0
	}
	return (n-s.Shard)/s.Of + 1
}

// At returns the k-th seed, from 0.
func (s Seeds) At(k uint64) uint64 {
	if s.Of == 0 {
		return s.From + k
	}
	return s.From + s.Shard - 1 + k*s.Of
}

// String is the whole range, whatever the shard.
func (s Seeds) String() string { return fmt.Sprintf("%d..%d", s.From, s.To) }

// ShardString is "i/n", or "" when there is one shard only.
func (s Seeds) ShardString() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Shard, s.Of)
}
