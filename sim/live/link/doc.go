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
//
// # Faults of links, in both worlds
//
//	fault           virtual world                       here
//	cut, hold       each message waits, then arrives    the same, by connection: sockets stay open, the
//	                or its connection is reset          bytes wait in the harness, order is kept
//	  lifetime      the message is gone, reset          the same, counted from when the bytes arrived here
//	  heal          one message in four: reset          Options.ResetAtHeal decides, once a connection
//	cut, drop       the message is gone, the stream     bytes are swallowed, with all that follow on the
//	                goes on                             same way: a stream with a hole is of no use. After
//	                                                    the heal, whatever is said on it resets it
//	slow,           each message takes longer           each chunk takes longer, its order kept; to open
//	delay-request                                       a connection of PostgreSQL takes messages, too
//	drop-reply      the answer is gone                  the answer is swallowed after the server has sent
//	                                                    it; the rest as above
//	reset           nothing arrives, both sides err     the same, by RST (PairBulk: by FIN)
//	kill, crash     in flight arrives; connections are  Stop: links of the server break with what they
//	of a server     refused                             hold, and refuse; the kernel's own order of events
//	kill of a       in flight arrives, then the end     the same
//	client
//	pause           messages wait at the process        they wait in its sockets; connections are opened
//	                                                    by the kernel all the same
//
// What differs besides: a connection is made even over a cut link, since the proxy answers for the
// server; the first message on it meets the cut. Toxiproxy calls the server at that moment, so that a
// server sees a connection on which nothing comes. A half-closed connection is closed altogether.
// net/http repeats a GET by itself when a kept connection breaks before the first byte of the answer:
// one loss then counts twice. pgx sends a cancel behind a statement that it has given up, on a
// connection of its own: when both are held, either may win at the heal.
//
// # Measured
//
// On two shared cores: a round trip of 200 bytes takes 71 µs (direct 12), of 64 kB 152 µs (35); a new
// connection with its first byte there and back 273 µs (55). To apply and heal a condition takes
// 1.6 µs, and 21 µs with 100 connections on the link. 1200 changes under eight clients with 64 kB
// messages that leave in the middle of them: no hang, no goroutine left.
package link
