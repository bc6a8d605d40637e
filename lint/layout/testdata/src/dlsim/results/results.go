package results

import (
	_ "dlsim/cmd/dlsim" // want `import of dlsim/cmd/dlsim is not allowed in results: nobody knows the command line`
	_ "dlsim/history"
)
