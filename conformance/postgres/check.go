package postgres

import (
	"context"
	"fmt"
	"time"

	"dlsim/sim/virtual/postgres"
)

// Bench is a model and a server side by side. It is used by one goroutine.
type Bench struct {
	server   *Server
	catalogs map[string]*postgres.Catalog
}

// NewBench compares the model with s.
func NewBench(s *Server) *Bench {
	return &Bench{server: s, catalogs: map[string]*postgres.Catalog{}}
}

// Compare runs a program on both and tells the first difference, "" when there is none. An error
// is one of the tests' own or of the machine's; a model that panics or refuses is a difference.
func (b *Bench) Compare(ctx context.Context, p *Program) (string, error) {
	model, real, err := b.traces(ctx, p)
	if err != nil {
		return "", err
	}
	if real == nil {
		return model.Tables[0], nil
	}
	return differ(model, real), nil
}

func (b *Bench) traces(ctx context.Context, p *Program) (model, real *Trace, err error) {
	catalog := b.catalogs[p.Schema]
	if catalog == nil {
		catalog = postgres.NewCatalog()
		b.catalogs[p.Schema] = catalog
	}
	model, problem := modelTrace(catalog, p)
	if problem != "" {
		return &Trace{Tables: []string{problem}}, nil, nil
	}
	real, err = b.server.Run(ctx, p, model)
	return model, real, err
}

// modelTrace runs the model and turns its own failures into text.
func modelTrace(catalog *postgres.Catalog, p *Program) (t *Trace, problem string) {
	defer func() {
		if r := recover(); r != nil {
			problem = fmt.Sprintf("the model panics: %v", r)
		}
	}()
	t, err := runModel(catalog, p)
	if err != nil {
		return nil, "the model fails: " + err.Error()
	}
	return t, ""
}

// shrinkBound ends a search whose every try waits for something.
const shrinkBound = 20 * time.Second

// Shrink takes steps and seeds away as long as a difference stays, and returns the program with
// the fewest and its difference.
func (b *Bench) Shrink(ctx context.Context, p *Program) (*Program, string, error) {
	best := *p
	text, err := b.Compare(ctx, &best)
	if err != nil || text == "" {
		return &best, text, err
	}
	end := time.Now().Add(shrinkBound)
	for size := max(1, len(best.Steps)/2); time.Now().Before(end); {
		shorter := false
		for at := len(best.Steps) - size; at >= 0 && time.Now().Before(end); at -= size {
			try := best
			try.Steps = append(append([]Step(nil), best.Steps[:at]...), best.Steps[at+size:]...)
			d, err := b.Compare(ctx, &try)
			if err != nil {
				return &best, text, err
			}
			if d != "" {
				best, text, shorter = try, d, true
			}
		}
		if size > 1 {
			size /= 2
		} else if !shorter {
			break
		}
	}
	for i := len(best.Seeds) - 1; i >= 0; i-- {
		try := best
		try.Seeds = append(append([]string(nil), best.Seeds[:i]...), best.Seeds[i+1:]...)
		if d, err := b.Compare(ctx, &try); err != nil {
			return &best, text, err
		} else if d != "" {
			best, text = try, d
		}
	}
	return &best, text, nil
}
