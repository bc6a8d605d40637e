package checker

import (
	_ "dlsim/history"
	_ "dlsim/sim" // want `import of dlsim/sim is not allowed in checker: checkers know history only`
)
