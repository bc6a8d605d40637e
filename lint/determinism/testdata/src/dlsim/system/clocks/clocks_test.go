package clocks

import "time"

// Tests may use the machine's clock.
var started = time.Now()
