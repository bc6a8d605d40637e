// Package pgcluster runs private clusters of the PostgreSQL that is installed on this machine, for
// tests and for the live world.
//
// A cluster lives in a folder of its own, which only its user may enter, listens on the loopback
// and on a socket in that folder, trusts whoever comes that way, and is gone with its folder after
// Close. It also goes when the process that started it ends in any other way, SIGKILL included:
// between the two stands a guard, the same binary started again, which sees its standard input
// close and then kills every process of the cluster. The guard starts from this package's init, so
// that a test binary needs no TestMain for it.
//
// As root the server runs as user postgres, or nobody where there is none, since PostgreSQL
// refuses to run as root. Clusters need Linux; elsewhere Start says so.
package pgcluster
