package history

import (
	_ "dlsim/system/host" // want `import of dlsim/system/host is not allowed in history: history knows nobody`
	_ "os"
)
