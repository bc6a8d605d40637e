package virtual

import (
	_ "dlsim/sim"
	_ "dlsim/sim/virtual/etcd"
	_ "dlsim/sim/virtual/postgres"
	_ "dlsim/system/host"
)
