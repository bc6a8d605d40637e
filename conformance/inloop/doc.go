// Package inloop holds whole runs of the virtual world to the same runs with a real PostgreSQL
// under paydb: the same scenario and seed must give the same history. What differs is found in the
// system's own statements under the system's own interleavings, which no generator thinks of.
package inloop
