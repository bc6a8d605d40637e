package results

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime"
	"runtime/debug"
)

// ThisBuild describes the running program.
func ThisBuild() Build {
	b := Build{Schema: Schema, Go: runtime.Version(), Dlsim: "devel"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Dlsim = v
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			b.Dlsim += " " + s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			b.Dlsim += " modified"
		}
	}
	return b
}

// Differs says in one line how other differs from b, or "".
func (b Build) Differs(other Build) string {
	switch {
	case b.Schema != other.Schema:
		return fmt.Sprintf("made with schema %d, this program has %d", other.Schema, b.Schema)
	case b.Dlsim != other.Dlsim:
		return fmt.Sprintf("made by dlsim %s, this is %s", other.Dlsim, b.Dlsim)
	case b.Go != other.Go:
		return fmt.Sprintf("made by a program of %s, this is one of %s", other.Go, b.Go)
	}
	return ""
}

// Digest is the fingerprint by which a replay tells that a file is as the run left it.
func Digest(file []byte) string {
	sum := sha256.Sum256(file)
	return hex.EncodeToString(sum[:])
}
