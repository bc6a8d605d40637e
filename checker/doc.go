// Package checker judges a history: seven invariants, a few observations, measures, and what the
// run exercised. It knows package history and nothing of the system, the worlds or the faults.
//
// The judges read the truth (what stores and the rail recorded in commit order) and use the
// clients' record for two things: the time between an operation's invocation and its answer, and
// outcomes that stayed unknown. Each invariant has a linear judge that yields the witness; INV-01
// and INV-07 have Porcupine as a second, independent one. Where two judges differ the verdict is
// unknown and says so: a checker that disagrees with itself has found a bug in the testbed.
//
// Tokens order the grants of a lock and the admissions at a mark, which makes both problems easy:
// there is only one order in which they can have happened, and it is enough to see whether that
// order is legal and agrees with real time. Without tokens the question is NP-complete
// (Gibbons and Korach, Testing Shared Memories, 1997).
package checker
