package config

import (
	"strings"
	"testing"
	"time"
)

func TestTheDefaultsAreValidAndTheirHorizonSuffices(t *testing.T) {
	c := Defaults()
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	if bound := HorizonBound(c, DefaultStretch); c.Reconciler.Horizon <= bound {
		t.Errorf("horizon %v, but money may move %v after its intent", c.Reconciler.Horizon, bound)
	}
}

func TestTheHorizonBoundCountsEveryTerm(t *testing.T) {
	base := HorizonBound(Defaults(), Stretch{})
	second := Stretch{ProxyPauses: time.Second, RailPauses: time.Second, MessageLife: time.Second}
	if got := HorizonBound(Defaults(), second); got != base+3*time.Second {
		t.Errorf("three more seconds of stretch gave %v more", got-base)
	}
	c := Defaults()
	c.Rail.Proxy.AdmitTimeout += time.Second
	c.Rail.Proxy.ForwardTimeout += time.Second
	c.Rail.MaxDelay += time.Second
	c.Rail.Latency += time.Second
	if got := HorizonBound(c, Stretch{}); got != base+4*time.Second {
		t.Errorf("four more seconds of settings gave %v more", got-base)
	}
	drift := HorizonBound(Defaults(), Stretch{DriftPPM: 1000})
	if want := base + base/500; drift < want-time.Microsecond || drift > want {
		t.Errorf("a thousand ppm on both sides gave %v, want %v", drift, want)
	}
}

func TestValidateNamesTheKeyThatIsWrong(t *testing.T) {
	for key, spoil := range map[string]func(*Config){
		"topology.executors":       func(c *Config) { c.Topology.Executors = 0 },
		"topology.etcd_nodes":      func(c *Config) { c.Topology.EtcdNodes = 0 },
		"lock.backend":             func(c *Config) { c.Lock.Backend = "zookeeper" },
		"lock.ttl":                 func(c *Config) { c.Lock.TTL = 0 },
		"lock.margin":              func(c *Config) { c.Lock.Margin = c.Lock.TTL },
		"paydb.timeout":            func(c *Config) { c.Paydb.Timeout = -1 },
		"paydb.pool":               func(c *Config) { c.Paydb.Pool = 0 },
		"rail.proxy.admit_timeout": func(c *Config) { c.Rail.Proxy.AdmitTimeout = 0 },
		"rail.latency":             func(c *Config) { c.Rail.Latency = c.Rail.MaxDelay + 1 },
		"reconciler.horizon":       func(c *Config) { c.Reconciler.Horizon = -1 },
		"intake.retry":             func(c *Config) { c.Intake.Retry = 0 },
	} {
		c := Defaults()
		spoil(&c)
		err := c.Validate()
		if err == nil || !strings.HasPrefix(err.Error(), key+": ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s spoilt: %v", key, err)
		}
	}
}

func TestAlternativesThatMeanNothingTogetherAreRefusedInOneLine(t *testing.T) {
	for _, c := range []struct {
		what   string
		spoil  func(*Config)
		begins string
	}{
		{"a value that is none", func(c *Config) { c.Rail.Proxy.Retry = "always" }, "rail.proxy.retry: "},
		{"two admissions", func(c *Config) { c.Rail.Proxy.Mark.Store, c.Rail.Proxy.Order = MarkMemory, DuplicateFirst }, "rail.proxy.mark.store: "},
		{"an admission that is off and another", func(c *Config) { c.Rail.Proxy.Fencing.Enabled, c.Rail.Proxy.Mark.Compare = false, CompareText }, "rail.proxy.mark.compare: "},
		{"a row deleted where there is none", func(c *Config) { c.Lock.Release = ReleaseDelete }, "lock.release: "},
		{"a mark in an etcd that is not there", func(c *Config) { c.Lock.Backend, c.Rail.Proxy.Mark.Store = BackendPostgres, MarkEtcd }, "rail.proxy.mark.store: "},
		{"a standby that is not there", func(c *Config) { c.Rail.Proxy.Mark.Store = MarkStandby }, "rail.proxy.mark.store: "},
		{"a void without a rail that has one", func(c *Config) { c.Reconciler.Compensation = CompensateOnce }, "reconciler.compensation: "},
		{"a void where the book is a table", func(c *Config) { c.Rail.In, c.Rail.Void = RailInPaydb, true }, "rail.in: "},
		{"a credential of a table", func(c *Config) { c.Rail.In, c.Rail.Credential = RailInPaydb, CredentialRotated }, "rail.credential: "},
		{"a rotation before what is no write-off", func(c *Config) { c.Reconciler.Unresolved, c.Rail.Credential = BySilence, CredentialRotated }, "rail.credential: "},
		{"a credential fetched anew that is always the same", func(c *Config) { c.Rail.Proxy.Retry = RetryOn401 }, "rail.proxy.retry: "},
		{"a replica that is not there", func(c *Config) { c.Executor.Claim = ClaimFromReplica }, "executor.claim: "},
	} {
		cfg := Defaults()
		c.spoil(&cfg)
		if err := cfg.Validate(); err == nil || !strings.HasPrefix(err.Error(), c.begins) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	c := Defaults()
	c.Rail.Proxy.Mark.Store, c.Executor.Routing, c.Rail.Proxy.Retry = MarkMemory, RouteSticky, RetryOnTimeout
	if err := c.Validate(); err != nil {
		t.Errorf("alternatives of different seams: %v", err)
	}
}
