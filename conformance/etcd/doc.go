// Package etcd holds the etcd model of the virtual world (sim/virtual/etcd) against real etcd.
//
// A Program is a list of steps written as the model's own scripts are. The same clientv3 calls are
// made on the model and on an embedded node, one step at a time, and each answer is compared as a
// whole: header revision, create and mod revision, version, lease, counts, flags, and the error.
// One node serves many programs, so that revisions are compared less the one that a program began
// at.
//
// There are three suites. Sequences do not wait, and there are many. Timed programs let leases
// expire: the model's clock is driven by the real one, and its checks for expired leases are put in
// step with the node's, whose phase is measured first. Handover programs change the leader of
// three real nodes and compare what is left of each lease.
//
// A difference is cut down to the fewest steps that still show it, and printed as a script for
// sim/virtual/etcd/testdata, with the real server's answers in it.
package etcd
