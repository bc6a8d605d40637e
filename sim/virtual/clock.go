package virtual

import "time"

// epoch is the wall clock's reading at the start of every run. Any fixed date would do.
var epoch = time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC).UnixNano()

const million = 1_000_000

// clock is one machine's pair of clocks over the world's true time, all in nanoseconds and all in
// whole numbers: a rate error is parts per million.
type clock struct {
	since  int64 // true time of the last rate change
	mono   int64 // monotonic reading then
	offset int64 // what steps have added to the wall clock
	drift  int64 // parts per million, positive runs fast
}

func (c *clock) monotonic(now int64) int64 {
	d := now - c.since
	return c.mono + d + d/million*c.drift + d%million*c.drift/million
}

func (c *clock) wall(now int64) int64 { return epoch + c.monotonic(now) + c.offset }

// trueTime is how much true time passes while this clock measures d.
func (c *clock) trueTime(d int64) int64 {
	rate := million + c.drift
	return d/rate*million + d%rate*million/rate
}

func (c *clock) setDrift(now, ppm int64) {
	c.mono, c.since, c.drift = c.monotonic(now), now, ppm
}
