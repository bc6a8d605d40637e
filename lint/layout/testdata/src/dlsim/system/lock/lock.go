package lock

import (
	_ "context"
	_ "dlsim/history"
	_ "dlsim/nemesis" // want `import of dlsim/nemesis is not allowed in system/lock: the system knows its own packages and history only`
	_ "dlsim/sim"     // want `import of dlsim/sim is not allowed in system/lock`
	_ "dlsim/system/host"
	_ "log"      // want `import of log is not allowed in system: ask the host instead`
	_ "log/slog" // want `import of log/slog is not allowed in system`
	_ "net"      // want `import of net is not allowed in system`
	_ "net/http"
	_ "os"      // want `import of os is not allowed in system`
	_ "os/exec" // want `import of os/exec is not allowed in system`
	_ "syscall" // want `import of syscall is not allowed in system`
)
