package lock

import (
	_ "dlsim/sim/live"
	_ "os"
)
