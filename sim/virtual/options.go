package virtual

import (
	"time"

	"dlsim/history"
	"dlsim/sim"
	"dlsim/sim/virtual/postgres"
	"dlsim/sim/virtual/sched"
	"dlsim/sim/virtual/slab"
	"dlsim/system/config"
)

// Options describe one run of the virtual world. (Options, Seed included) determine the run.
type Options struct {
	Seed     uint64
	System   config.Config
	Workload sim.Workload
	Network  sim.Network
	Bound    time.Duration // the run ends then at the latest, in true time
	// Unpreempted lets every task run on at its decision points.
	Unpreempted bool
	// KeepCommits has databases remember their commits, for a crash that loses some of them.
	KeepCommits bool
	// Paydb is a real server to run paydb's statements on; nil is the model.
	Paydb Postgres
	// Choices overrides the seed's own draws; nil is Keyed(Seed).
	Choices sched.Choices
	// Cache is what may be kept from run to run; nil makes a fresh one.
	Cache *Cache
	// Trace has every step told in words; nil in sweeps, since it is slow.
	Trace func(step, at int64, what string)
}

// Cache keeps what is costly to make and carries no state of a run: stacks, parsed SQL and
// buffers. It belongs to one worker at a time.
type Cache struct {
	stacks   sched.Pool
	catalog  *postgres.Catalog
	memory   postgres.Memory
	events   []history.Event
	machines slab.Of[machine]
	contexts slab.Of[vctx]
	calls    slab.Of[call]
	rpcs     slab.Of[rpc]
	messages slab.Of[message]

	topology  config.Topology // that processes was made for
	processes []sim.Process
}

// reset takes back what the last run was lent.
func (c *Cache) reset() {
	c.memory.Reset()
	c.machines.Reset()
	c.contexts.Reset()
	c.calls.Reset()
	c.rpcs.Reset()
	c.messages.Reset()
}

// NewCache returns an empty cache.
func NewCache() *Cache {
	return &Cache{catalog: postgres.NewCatalog()}
}

// Close frees the cache's stacks.
func (c *Cache) Close() { c.stacks.Close() }

// latencies is how many kinds of luck a message can have; latencyScale says how many eighths of
// the typical latency each takes. Most are near it, one in 64 has a long way.
const latencies = 64

var latencyScale = [latencies]int64{
	2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5, 6, 6,
	6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 7, 8, 8, 8,
	8, 8, 8, 8, 8, 9, 9, 9, 9, 9, 9, 10, 10, 10, 10, 11,
	11, 11, 12, 12, 13, 13, 14, 15, 16, 18, 20, 24, 32, 48, 96, 320,
}

// typicalLuck is the draw that takes the typical latency exactly.
const typicalLuck = 29

// latencyOf turns a draw into nanoseconds. The draw's place in its bucket adds no further jitter:
// links draw apart, which is jitter enough.
func latencyOf(typical time.Duration, draw uint64) int64 {
	return int64(typical) / 8 * latencyScale[draw]
}
