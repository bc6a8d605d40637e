package sim

import _ "dlsim/history"
