// Package nemesis makes things go wrong in a world, on purpose and on record.
//
// A Fault is one thing that goes wrong: a small flat value that reads and writes as one line of
// YAML, so a failing run is a list of faults that a person can edit and run again. A Plan is the
// explicit, ordered list of them for one run, and a Nemesis carries a plan out over a sim.World.
// A Generator draws plans from rates.
//
// The rejected alternative is a nemesis that draws as it goes. Its runs cannot be shrunk, since
// taking one fault away moves all later draws, and they cannot be repeated in another world.
//
// What stays imprecise: a fault that strikes at a time strikes "between two events", and two
// worlds do not agree about time. So each strike is written down with an Anchor, the last event
// before it, and an explicit plan made from a random one strikes on those events instead.
package nemesis
