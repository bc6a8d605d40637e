// Package postgres holds the PostgreSQL model of the virtual world (sim/virtual/postgres) against a
// real server.
//
// A Program is a few sessions' steps, interleaved. Generate makes one from a seed; Bench runs it on
// the model and on the server, one step at a time, and compares after each step what was answered,
// the transaction's status, who is blocked and by whom, and whom the step has freed; at the end the
// tables. A difference is cut down to the fewest steps and printed as a script for the model's
// testdata.
//
// # How a step is known to be blocked
//
// Nothing is guessed from time. The sessions run with deadlock_timeout at its least, 1 ms, and have
// the server tell them what it logs: a statement that has waited that long and found no deadlock
// says so to its client. Who is in the way is then asked of pg_blocking_pids.
//
// # How the server is made to take turns
//
// Two sessions that one commit frees would race. So those who wait are held by SIGSTOP while a
// step runs, which harms nobody: a backend that waits for a heavyweight lock holds no other. The
// lock manager grants a lock without the grantee's help, so whoever no longer blocks has been freed
// by the step; they are let go on one after the other, in the order in which the model lets them.
package postgres
