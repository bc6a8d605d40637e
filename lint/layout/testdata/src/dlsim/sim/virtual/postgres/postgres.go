package postgres

import (
	_ "dlsim/history"
	_ "dlsim/system/host" // want `import of dlsim/system/host is not allowed in sim/virtual/postgres: a model of a store does not know the system`
)
