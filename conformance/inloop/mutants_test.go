package inloop

import (
	"testing"

	"dlsim/conformance/mutants"
)

const modelDir = "sim/virtual/postgres/"

// TestMutants has whole runs find errors in the model that the system's own statements can tell.
func TestMutants(t *testing.T) {
	mutants.Kill(t, "./conformance/inloop", []mutants.Mutant{
		{
			Name: "DO UPDATE does not ask its WHERE", Run: "OnTheModel/everything", Count: 20,
			File: modelDir + "insert.go",
			Old:  "	ok, err := c.holds(q.update.where)\n	if err != nil || !ok {",
			New:  "	_, err = c.holds(q.update.where)\n	if err != nil {",
		},
		{
			Name: "a rollback leaves rows marked as replaced", Run: "OnTheModel/everything", Count: 20,
			File: modelDir + "session.go",
			Old:  "			old.taken = nil // as",
			New:  "			// as",
		},
		{
			Name: "an update does not ask its WHERE again after a wait", Run: "OnTheModel/contended", Count: 50,
			File: modelDir + "update.go",
			Old:  "		if ok, err := c.holds(q.where); err != nil || !ok {\n			return nil, err\n		}\n	}\n}",
			New:  "	}\n}",
		},
		{
			Name: "a row lock alone gives the transaction no number", Run: "OnTheModel/contended", Count: 50,
			File: modelDir + "session.go",
			Old:  "	if t.xid != 0 {\n		srv.lsn++",
			New:  "	if t.xid != 0 && len(t.changes) > 0 {\n		srv.lsn++",
		},
	}, "SEED=1")
}
