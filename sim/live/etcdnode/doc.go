// Package etcdnode runs real etcd servers, embedded: Start in this process, Spawn as a process of
// its own (this binary, executed again). A node listens on loopback addresses only, keeps its data
// in a directory that nobody else may read, and leaves nothing behind once stopped.
//
// # Cutting links
//
// One proxy in front of each node cannot partition a cluster, since members dial each other and
// talk on whichever connection there is: a harness needs a proxy for each ordered pair. But all
// members must be told the same peer URLs (their ids are hashed from them). So a URL carries a host
// name, and each node resolves the names of its peers to addresses of its own (Config.Hosts), with
// a resolver inside the process: neither root nor /etc/hosts is needed.
//
// # Starting several nodes
//
// A member that is new asks its peers who they are. A peer whose socket is open but not served
// yet costs it a second. So hold the peers' proxies closed until every node has reported that its
// server is started (Process.Started), then open all of them.
//
// The server's packages are large. Nothing that the virtual world imports may import this one.
package etcdnode
