package clocks

import (
	"time"
	tick "time"
)

const second = time.Second

func clocks() {
	_ = time.Now()              // want `time\.Now is not allowed here: ask the host for Now or Monotonic`
	now := time.Now             // want `time\.Now is not allowed here`
	_ = time.Since(now())       // want `time\.Since is not allowed here`
	_ = tick.Until(tick.Now())  // want `time\.Until is not allowed here` `time\.Now is not allowed here`
	<-time.After(second)        // want `time\.After is not allowed here: use the host's Sleep`
	time.AfterFunc(second, nil) // want `time\.AfterFunc is not allowed here`
	_ = time.NewTimer(second)   // want `time\.NewTimer is not allowed here`
	_ = time.NewTicker(second)  // want `time\.NewTicker is not allowed here`
	_ = time.Tick(second)       // want `time\.Tick is not allowed here`
	time.Sleep(second)          // want `time\.Sleep is not allowed here`
}

type holder struct {
	timer *time.Timer // want `time\.Timer is not allowed here`
}

func zones(t time.Time) {
	_ = time.Unix(0, 0)               // want `time\.Unix answers in the machine's time zone: add \.UTC\(\)`
	_ = time.UnixMilli(0).Add(second) // want `time\.UnixMilli answers in the machine's time zone`
	_ = time.Unix(0, 0).UTC()
	_ = time.Date(2026, 1, 2, 3, 4, 5, 0, time.Local) // want `time\.Local is not allowed here: the machine's time zone`
	_ = t.Local()                                     // want `time\.Time\.Local is not allowed here`
}

// plain arithmetic of times is fine, and so is a method that is merely called Now.
func plain(h interface{ Now() time.Time }, t time.Time) time.Duration {
	return h.Now().Sub(t) + 3*time.Second + time.Duration(t.UnixNano())
}
