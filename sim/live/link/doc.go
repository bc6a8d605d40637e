// Package link is the network of the live world: every link that can be cut goes through a Toxiproxy
// proxy of its own, one for each ordered pair of client and server, run inside the harness.
//
// # One toxic, never changed
//
// Toxiproxy's own way to change a link, adding and removing toxics, waits for the link to come to
// rest and deadlocks where it cannot: with a writer that is blocked, or a peer that left in the
// middle of a transfer. So each proxy gets one toxic of ours in each direction before it starts, and
// keeps it. The toxic obeys the conditions that stand on its link, a list behind an atomic pointer.
//
// # Messages
//
// Conditions speak of messages and sockets carry bytes. A message here is a run of bytes one way
// with none the other way in between: exactly a request or an answer in HTTP/1.1 and in PostgreSQL's
// protocol. In HTTP/2 (etcd) frames of several calls mingle, so a count of messages there is a lower
// bound, and a limited condition may meet a control frame. The end of a stream obeys conditions
// without being counted.
//
// # Addresses
//
// Each client has a loopback address of its own, claimed for the life of the mesh, and each server a
// port: a pair listens at the client's address and the server's port. The ports lie below the range
// that the kernel hands out for outgoing connections. So a proxy that was stopped finds its place
// free when it starts again, and one process's names can all resolve to one address (Mesh.Host).
package link
