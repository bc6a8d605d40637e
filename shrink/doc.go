// Package shrink makes a violating run small. It takes a scenario with nothing left to draw, a seed,
// and the name of what the run shows, and looks for a scenario that still shows it with the fewest
// faults, then the fewest processes, payouts and accounts, then the plainest triggers, the calmest
// network and the shortest durations.
//
// Taking one fault away moves no draw of the others (see nemesis.Fault.ID), so most removals are
// judged by one run. Where that run loses the violation, luck may have lost it and not the cause:
// faults, processes and payouts are therefore also tried with a number of other seeds, from 1.
//
// The search goes round by round until a round changes nothing. What it finds is a fixed point:
// shrinking it again gives it back. It is a local minimum, not the smallest scenario there is, and
// it keeps the kind of the violation, not its cause: two different mistakes with one symptom count
// as one (Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", 2002, call
// this the price of having a test that only says yes or no).
package shrink
