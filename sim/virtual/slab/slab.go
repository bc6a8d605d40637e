// Package slab lends memory that is used again from run to run.
package slab

// Of hands out values of one type that live as long as one run and are all taken back together.
// A run makes thousands of small values; taking them from memory that the last run used already
// costs neither the allocator nor the collector anything.
type Of[T any] struct {
	chunks [][]T
	taken  int
}

const chunkSize = 64

// New returns a zero value.
func (s *Of[T]) New() *T {
	p := s.Used()
	var zero T
	*p = zero
	return p
}

// Used returns a value as whoever had it in an earlier run left it, for types that keep buffers.
func (s *Of[T]) Used() *T {
	chunk, i := s.taken/chunkSize, s.taken%chunkSize
	if chunk == len(s.chunks) {
		s.chunks = append(s.chunks, make([]T, chunkSize))
	}
	s.taken++
	return &s.chunks[chunk][i]
}

// Reset takes everything back. Nothing handed out before may be used any more.
func (s *Of[T]) Reset() { s.taken = 0 }
