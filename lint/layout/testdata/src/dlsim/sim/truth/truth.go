package truth

import (
	_ "dlsim/history"
	_ "dlsim/runner"   // want `import of dlsim/runner is not allowed in sim/truth: a world does not know who uses it`
	_ "dlsim/sim/live" // want `import of dlsim/sim/live is not allowed in sim/truth: both worlds use it`
)
