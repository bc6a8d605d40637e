package config

import "time"

// Stretch is what the harness may do to the time between an intent's commit and the money it
// announces. The horizon is safe only against a Stretch that HorizonBound was given.
type Stretch struct {
	ProxyPauses time.Duration // all pauses of one proxy in that window, together
	RailPauses  time.Duration // the same of the rail: requests wait in its buffers meanwhile
	MessageLife time.Duration // how long a sent message can still arrive
	DriftPPM    int64         // largest rate error of any clock involved, parts per million
}

// DefaultStretch is what Defaults leaves room for.
var DefaultStretch = Stretch{
	ProxyPauses: 20 * time.Second,
	RailPauses:  10 * time.Second,
	MessageLife: 20 * time.Second,
	DriftPPM:    1000,
}

// Scheduling is how long a busy machine may keep the proxy and the rail waiting for a processor on
// that way, on top of pauses. Without a term for it the bound would hold on idle machines only.
const Scheduling = 2 * time.Second

// HorizonBound is the longest a submission can take, on the rail's clock, from the commit of its
// intent to the movement of its money: assumption (b) of DESIGN 2.5. The horizon must be greater.
//
// The terms add up along one path: the commit's answer reaches the proxy within AdmitTimeout of
// its own clock, or nothing is forwarded; the proxy or the rail may freeze on the way; the
// request leaves within ForwardTimeout and lives in the network for MessageLife at most; the rail
// takes its normal latency and its longest misbehaviour, and each of them waits for a processor now
// and then. Two clocks may err in opposite
// directions, so drift counts twice.
func HorizonBound(c Config, s Stretch) time.Duration {
	sum := c.Rail.Proxy.AdmitTimeout + s.ProxyPauses + c.Rail.Proxy.ForwardTimeout +
		s.MessageLife + s.RailPauses + c.Rail.Latency + c.Rail.MaxDelay + Scheduling
	return sum + sum/1e6*time.Duration(2*s.DriftPPM)
}
