// Package postgres is a PostgreSQL 15 in memory: it parses SQL text, runs it with PostgreSQL's
// own rules for snapshots, row locks and waits, and answers with its SQLSTATEs.
//
// The engine is a core without input, output, threads or a clock. It asks its Env for the time,
// parks the coroutine of a statement that must wait, and marks it runnable again. Given the same
// calls in the same order it does the same things: nothing in it depends on scheduling, on a
// map's order, or on the processor.
//
// # How rows are kept
//
// As in PostgreSQL, an UPDATE writes a new version of the row and leaves the old one to those
// who may still see it. A version names the transaction that made it and the one that replaced
// it; it is visible when the first had committed before the snapshot was taken and the second
// had not. A crash that loses commits therefore undoes nothing: it declares the transactions
// aborted.
//
// # How statements wait
//
// A statement that meets a row held by another transaction first takes its place in the queue of
// that row version (the tuple lock), then waits for the transaction to end, then looks again. In
// READ COMMITTED it goes on to the newest version and asks its WHERE again; in REPEATABLE READ
// it fails with 40001. A wait that lasts deadlock_timeout looks for a cycle and breaks it by
// failing itself.
//
// # What is left out
//
// SERIALIZABLE, savepoints, subqueries, GROUP BY, foreign keys and whatever else the system does
// not use. Each is refused with an UnsupportedError that names the construct, never accepted.
// Text compares byte by byte (locale C), the session's time zone is UTC, and a scan that is not a
// lookup by a whole key reads rows in heap order, where a real server might choose an index.
package postgres
