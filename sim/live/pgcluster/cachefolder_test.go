package pgcluster

import (
	"os"
	"path/filepath"
	"testing"
)

func TestATemplateIsKeptWhereTheUserCanWriteAndNobodyElse(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	home := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", home)
	if got, err := cacheFolder(); err != nil || got != filepath.Join(home, "dlsim") {
		t.Errorf("with a home: %s, %v", got, err)
	}
	// A file stands where the home would have to be: even root cannot make a folder below it.
	file := filepath.Join(home, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", file)
	got, err := cacheFolder()
	if err != nil || filepath.Dir(got) != temporary {
		t.Errorf("without a home: %s, %v", got, err)
	}
	// Somebody else could put a template there.
	if err := os.Chmod(got, 0o777); err != nil {
		t.Fatal(err)
	}
	if got, err := cacheFolder(); err == nil {
		t.Errorf("a folder that all can write to is used: %s", got)
	}
}
