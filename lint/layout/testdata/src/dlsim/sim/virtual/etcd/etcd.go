package etcd

import _ "dlsim/system/host" // want `import of dlsim/system/host is not allowed in sim/virtual/etcd`
