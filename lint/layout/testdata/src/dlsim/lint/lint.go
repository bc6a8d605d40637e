package lint

import _ "dlsim/history" // want `import of dlsim/history is not allowed in lint: lint looks at the module from outside`
