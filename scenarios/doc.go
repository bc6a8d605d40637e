// Package scenarios reads scenario files: the system, its work, what goes wrong, and what is then
// expected. The scenarios that ship with dlsim are embedded and go by name.
//
// Reading is strict. A key that is not known, a value of the wrong type, a fault on a process that
// is not there are errors of one line that begins with the file and the line; a scenario that
// means something else than its author thinks is worse than none.
//
// A scenario leaves some things to the seed: values to draw, and random faults. Resolve settles
// them all. What comes out is an explicit scenario, which writes as a file that reads back the same.
package scenarios
