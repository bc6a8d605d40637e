package nemesis

import (
	_ "dlsim/history"
	_ "dlsim/runner" // want `import of dlsim/runner is not allowed in nemesis: faults do not know who judges them`
	_ "dlsim/sim"
	_ "dlsim/sim/live"    // want `import of dlsim/sim/live is not allowed in nemesis: faults do not know which world they strike`
	_ "dlsim/sim/virtual" // want `import of dlsim/sim/virtual is not allowed in nemesis`
)
