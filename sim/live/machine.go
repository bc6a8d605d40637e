package live

import (
	"fmt"
	"net"
	"os"
	"runtime"

	"dlsim/sim/live/pgcluster"
)

// Finding is one thing that a world needs, or can use, of the machine.
type Finding struct {
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	// Needed says that no live run works without it.
	Needed bool   `json:"needed"`
	Says   string `json:"says"`
}

// Examine looks at what this machine has for live runs. It starts nothing.
func Examine() []Finding {
	return []Finding{
		{"system", runtime.GOOS == "linux", true, runtime.GOOS + "/" + runtime.GOARCH + "; live runs need Linux"},
		examinePostgres(),
		{"etcd", true, true, "embedded, one process a node"},
		examineAddresses(),
		examineFolder(),
		examineFakeTime(),
	}
}

func examinePostgres() Finding {
	f := Finding{Name: "postgresql", Needed: true}
	in, err := pgcluster.Find()
	if err != nil {
		f.Says = err.Error()
		return f
	}
	f.OK, f.Says = true, fmt.Sprintf("%s in %s", in.Version, in.Bin)
	return f
}

// examineAddresses wants loopback addresses beside 127.0.0.1, which links need.
func examineAddresses() Finding {
	f := Finding{Name: "loopback", Needed: true}
	const some = "127.64.0.1:0"
	l, err := net.Listen("tcp", some)
	if err != nil {
		f.Says = err.Error()
		return f
	}
	defer l.Close()
	f.OK, f.Says = true, "all of 127.0.0.0/8 can be listened on; links take ports from 20000 on and need no root"
	return f
}

func examineFolder() Finding {
	f := Finding{Name: "memory", Needed: true}
	dir, err := runFolder()
	if err != nil {
		f.Says = err.Error()
		return f
	}
	defer os.RemoveAll(dir)
	mb, err := freeMB(dir)
	if err != nil {
		f.Says = err.Error()
		return f
	}
	f.OK = mb >= enoughMB
	f.Says = fmt.Sprintf("%d MB free where runs keep their files (%s); a run takes up to %d", mb, parentFolder(), enoughMB)
	return f
}

func examineFakeTime() Finding {
	f := Finding{Name: "libfaketime", OK: FakeTime() != "", Says: FakeTime()}
	if !f.OK {
		f.Says = "not found: the clock of PostgreSQL cannot be set, and a run that needs that is inconclusive (apt-get install libfaketime)"
	}
	return f
}
