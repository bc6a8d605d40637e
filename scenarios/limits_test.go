package scenarios

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAFileThatNoScenarioCanBeIsNotRead(t *testing.T) {
	for _, c := range []struct {
		name, says string
		text       []byte
	}{
		{"a huge one", "larger than 1024 KB", bytes.Repeat([]byte("# no\n"), maxFile)},
		{"a disk image", "not text", make([]byte, 4096)},
		{"another encoding", "not text", []byte("name: caf\xe9\n")},
	} {
		path := filepath.Join(t.TempDir(), "x.yaml")
		if err := os.WriteFile(path, c.text, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), c.says) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := Load("/dev/zero"); err == nil || !strings.Contains(err.Error(), "larger") {
		t.Errorf("a device without an end: %v", err)
	}
	if _, err := Load(t.TempDir() + "/"); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("a folder: %v", err)
	}
}

func TestAHorizonThatIsTooShortIsRefusedUnlessTheScenarioSaysSo(t *testing.T) {
	for _, c := range []struct {
		sets  []string
		short bool
	}{
		{[]string{}, false},
		{[]string{"reconciler.horizon=1s"}, true},
		{[]string{"reconciler.horizon=1s", "breaks=[b]"}, false},
	} {
		s, err := Load("standard", c.sets...)
		if err != nil {
			t.Fatal(err)
		}
		p, short := s.ShortHorizon()
		if short != c.short {
			t.Errorf("%v: short is %v: %s", c.sets, short, p)
		}
		if short && !strings.HasPrefix(p.String(), "--set: reconciler.horizon: 1s does not exceed") {
			t.Errorf("%v: %s", c.sets, p)
		}
	}
}
