package matrix

import (
	"context"
	"sync"

	"dlsim/checker"
	"dlsim/runner"
	"dlsim/variants"
)

// Matrix is the table of rows. Its field names are a contract with programs.
type Matrix struct {
	Variants    []*Row  `json:"variants"`
	Confirmed   int     `json:"confirmed"`
	Searches    int     `json:"searches"` // of each row
	Interrupted bool    `json:"interrupted,omitempty"`
	WallMS      float64 `json:"wall_ms"`
	Results     string  `json:"results,omitempty"`
}

// Good says whether every row came out as the table says, its control included.
func (m *Matrix) Good() bool {
	for _, r := range m.Variants {
		if !r.Good() {
			return false
		}
	}
	return !m.Interrupted
}

// Run carries out the rows, one a worker at a time, and returns them in their order. When ctx is
// done it returns the rows that are done; the same with an error.
func Run(ctx context.Context, table []*variants.Variant, o Options) (*Matrix, error) {
	var (
		mu    sync.Mutex
		next  int
		done  int
		first error
		rows  = make([]*Row, len(table))
	)
	take := func() int {
		mu.Lock()
		defer mu.Unlock()
		if next == len(table) || first != nil || ctx.Err() != nil {
			return -1
		}
		next++
		return next - 1
	}
	var running sync.WaitGroup
	for range max(o.Workers, 1) {
		running.Go(func() {
			w := runner.NewWorker(o.Launch)
			defer w.Close()
			for i := take(); i >= 0; i = take() {
				row, err := o.one(ctx, w, table[i])
				mu.Lock()
				switch {
				case err == nil:
					rows[i] = row
					done++
					if o.Step != nil {
						o.Step(done, len(table), row)
					}
				case ctx.Err() == nil && first == nil:
					first = err
				}
				mu.Unlock()
			}
		})
	}
	running.Wait()
	m := &Matrix{Variants: []*Row{}, Searches: o.Searches, Interrupted: ctx.Err() != nil}
	for _, r := range rows {
		if r == nil {
			continue
		}
		m.Variants = append(m.Variants, r)
		if r.Confirmed {
			m.Confirmed++
		}
	}
	return m, first
}

func invariants() []string { return checker.Invariants[:] }
