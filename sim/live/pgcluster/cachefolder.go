package pgcluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// cacheFolder is where this user's template clusters are kept: in the user's cache, and where there is
// no home that can be written to (a service account), in the temporary folder.
func cacheFolder() (string, error) {
	cache, first := os.UserCacheDir()
	if first == nil {
		dir := filepath.Join(cache, "dlsim")
		if first = usable(dir); first == nil {
			return dir, nil
		}
	}
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("dlsim-cache-%d", os.Getuid()))
	if err := usable(dir); err != nil {
		return "", errors.Join(first, err)
	}
	return dir, nil
}

// usable makes the folder where it is not there, and wants it to be this user's alone: what lies in it
// is run.
func usable(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || !ok || int(owner.Uid) != os.Getuid() || info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%s is not a folder of this user's alone", dir)
	}
	probe, err := os.MkdirTemp(dir, "new-")
	if err != nil {
		return err
	}
	return os.Remove(probe)
}
