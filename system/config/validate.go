package config

import (
	"fmt"
	"time"
)

// Validate says what is wrong with c, in one line that begins with the key, or nil. It judges
// only what no deployment can mean; whether the horizon suffices depends on the faults and is
// lint's question (see HorizonBound).
func (c Config) Validate() error {
	for _, n := range []struct {
		key        string
		got, least int
	}{
		{"topology.executors", c.Topology.Executors, 1},
		{"topology.proxies", c.Topology.Proxies, 1},
		{"topology.lockds", c.Topology.Lockds, 1},
		{"paydb.pool", c.Paydb.Pool, 1},
	} {
		if n.got < n.least {
			return fmt.Errorf("%s: %d is less than %d", n.key, n.got, n.least)
		}
	}
	switch c.Lock.Backend {
	case BackendPostgres:
	case BackendEtcd:
		if c.Topology.EtcdNodes < 1 {
			return fmt.Errorf("topology.etcd_nodes: %d, but lock.backend is etcd", c.Topology.EtcdNodes)
		}
	default:
		return fmt.Errorf("lock.backend: %q is neither %s nor %s", c.Lock.Backend, BackendEtcd, BackendPostgres)
	}
	for _, d := range []struct {
		key string
		got time.Duration
	}{
		{"lock.ttl", c.Lock.TTL},
		{"lock.retry", c.Lock.Retry},
		{"lock.timeout", c.Lock.Timeout},
		{"lock.backing", c.Lock.Backing},
		{"paydb.timeout", c.Paydb.Timeout},
		{"rail.proxy.admit_timeout", c.Rail.Proxy.AdmitTimeout},
		{"rail.proxy.forward_timeout", c.Rail.Proxy.ForwardTimeout},
		{"executor.poll", c.Executor.Poll},
		{"executor.submit_timeout", c.Executor.SubmitTimeout},
		{"reconciler.poll", c.Reconciler.Poll},
		{"intake.retry", c.Intake.Retry},
	} {
		if d.got <= 0 {
			return fmt.Errorf("%s: %v must be positive", d.key, d.got)
		}
	}
	for _, d := range []struct {
		key string
		got time.Duration
	}{
		{"lock.margin", c.Lock.Margin},
		{"paydb.lock_timeout", c.Paydb.LockTimeout},
		{"rail.proxy.send_within", c.Rail.Proxy.SendWithin},
		{"rail.latency", c.Rail.Latency},
		{"rail.max_delay", c.Rail.MaxDelay},
		{"rail.statement_delay", c.Rail.StatementDelay},
		{"reconciler.stale", c.Reconciler.Stale},
		{"reconciler.horizon", c.Reconciler.Horizon},
	} {
		if d.got < 0 {
			return fmt.Errorf("%s: %v must not be negative", d.key, d.got)
		}
	}
	if c.Lock.Margin >= c.Lock.TTL {
		return fmt.Errorf("lock.margin: %v leaves nothing of lock.ttl %v", c.Lock.Margin, c.Lock.TTL)
	}
	if c.Lock.TTL < time.Millisecond {
		return fmt.Errorf("lock.ttl: %v is less than a millisecond", c.Lock.TTL)
	}
	if c.Rail.Latency > c.Rail.MaxDelay {
		return fmt.Errorf("rail.latency: %v exceeds rail.max_delay %v", c.Rail.Latency, c.Rail.MaxDelay)
	}
	return c.validateChoices()
}
