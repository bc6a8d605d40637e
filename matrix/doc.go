// Package matrix runs the table of variants: every rejected decision against random plans until what
// it must break is broken, the same plans against the full design, and the smallest run of each.
//
// A search takes seeds one after another until each of a row's claims has been seen. How many that
// takes is luck, so a row is searched several times from seeds far apart, and the median is told. All
// of it depends on the seeds alone and not on the machine.
package matrix
