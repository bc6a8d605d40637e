package postgres

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestScriptsOfTheModelHoldOnTheServer replays the model's own scripts. They run in real time, so
// a section that differs gets two more tries: a busy machine can miss a script's clock.
func TestScriptsOfTheModelHoldOnTheServer(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../sim/virtual/postgres/testdata/*")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	c := cluster(t)
	var all sync.WaitGroup
	var mu sync.Mutex
	steps, sections := 0, 0
	var left []string
	places := make(chan struct{}, 8)
	for f, file := range files {
		list, err := readScripts(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, sec := range list {
			all.Go(func() {
				places <- struct{}{}
				defer func() { <-places }()
				for try := 1; ; try++ {
					r, err := replay(context.Background(), c, fmt.Sprintf("s%d_%d_%d", f, i, try), sec)
					if err != nil {
						t.Error(err)
						return
					}
					if len(r.Differences) > 0 && try < 3 {
						continue
					}
					mu.Lock()
					defer mu.Unlock()
					sections++
					steps += r.Steps
					if r.Left != "" {
						left = append(left, r.Left)
					}
					for _, d := range r.Differences {
						t.Error(d)
					}
					return
				}
			})
		}
	}
	all.Wait()
	t.Logf("%d steps in %d sections of %d files; not replayed from there on, for a real server has no such command:\n%s",
		steps, sections, len(files), strings.Join(left, "\n"))
	if steps < 300 {
		t.Errorf("only %d steps", steps)
	}
}
