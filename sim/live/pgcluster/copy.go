package pgcluster

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
)

// copyTree copies a stopped cluster and gives the copy to who. The files that belong to a run of
// the server are left out.
func copyTree(from, to string, who credential) error {
	var files []string
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			target := filepath.Join(to, rel)
			if err := os.Mkdir(target, 0o700); err != nil {
				return err
			}
			return who.own(target)
		case rel != "postmaster.pid" && rel != "postmaster.opts":
			files = append(files, rel)
		}
		return nil
	})
	if err != nil {
		return err
	}
	workers := min(4, runtime.NumCPU())
	failed := make([]error, workers)
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for i := w; i < len(files) && failed[w] == nil; i += workers {
				failed[w] = copyFile(filepath.Join(from, files[i]), filepath.Join(to, files[i]), who)
			}
		})
	}
	all.Wait()
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}

func copyFile(from, to string, who credential) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.WriteFile(to, text, 0o600); err != nil {
		return err
	}
	return who.own(to)
}
