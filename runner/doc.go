// Package runner carries out runs: a scenario and a seed become a world, a nemesis strikes it, its
// history is checked and its expectation judged. A sweep does so for many seeds on every core.
//
// A sweep's result depends on the seeds alone: they are handed out in order and counted in order,
// whichever worker was first. Only the speeds differ from one machine to the next.
package runner
