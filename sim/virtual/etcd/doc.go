// Package etcd is an in-memory etcd 3.7 cluster for the virtual world: the server side (Cluster)
// and the client stubs (NewKV, NewLease) that put clientv3's own code on top of it.
//
// A Cluster owns no clock, no goroutine and no chance: time, timers and the length of elections
// come from Env, and everything happens inside the calls made to it. Consensus is modelled by its
// outcome. One log is shared by all nodes; what differs between nodes is whether they are up,
// whether they reach their peers, and how far the state they serve trails.
//
// # What is kept as the real server has it
//
//   - Revisions: the store starts at revision 1; a transaction that changes anything takes exactly
//     one revision, with sub-revisions inside; a lease's revocation deletes all its keys, sorted,
//     in one revision.
//   - Transactions, nested ones too: every comparison sees the state before the transaction; a
//     missing key compares as zero except by value, where it always fails; the checks for
//     duplicate keys, missing leases and ignored values run before anything changes.
//   - Ranges: limit, total count, sorting, revision filters, old, future and compacted revisions,
//     and that a keys-only answer carries no lease unless sorted by value.
//   - Leases: whole seconds with a minimum of one and a half election time-outs rounded up; the
//     leader looks for expired ones every 500 ms, counted from when it started, and revokes them
//     by consensus. Until then an expired lease is found by puts, and a keepalive of it waits and
//     is told that it is gone. A new leader renews every lease to its full TTL plus one election
//     time-out. Remaining time is not persisted (lease checkpoints are off by default).
//   - Leader loss: writes wait for a leader, reads that were waiting fail with "leader changed",
//     keepalives look for a leader once per election time-out. A leader that loses its quorum
//     believes in itself for one election time-out: it goes on answering keepalives, and writes
//     that it takes meanwhile time out but come true if it wins the next election.
//
// # What is simpler
//
//   - A write is committed and applied the moment it is handled; there is no partly replicated
//     entry except the ones named above.
//   - Nodes know at once when they have no leader, apart from that one election time-out.
//   - Reachability is per node, not per pair: all nodes that reach their peers form one group.
//   - A lag shows in serializable reads only. Linearizable reads do not wait for it.
//   - A node asks its leader once for all reads that wait; in the server a read that comes while
//     others wait begins its own time-out when theirs is over.
//   - LeaseLeases lists what the cluster has, whichever node is asked. Ties are listed by id.
//   - The spreading of lease expiries when a leader takes over a thousand leases or more is
//     left out.
//   - Watches, authentication and maintenance are refused with codes.Unimplemented.
package etcd
