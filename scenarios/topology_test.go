package scenarios_test

import (
	"reflect"
	"testing"
	"time"

	"dlsim/scenarios"
	"dlsim/sim/virtual"
	"dlsim/system/config"
)

func TestTheTopologyIsWhatTheVirtualWorldRuns(t *testing.T) {
	for _, backend := range []string{config.BackendEtcd, config.BackendPostgres} {
		s := scenarios.Defaults()
		s.Lock.Backend = backend
		s.Topology = config.Topology{Executors: 2, Proxies: 3, Lockds: 2, EtcdNodes: 3, PaydbStandby: true, LockdbStandby: true}
		w, err := virtual.New(virtual.Options{System: s.Config, Workload: s.Workload, Network: s.Network, Bound: time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := scenarios.Topology(s.Config), w.Topology(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v\nthe world runs %+v", backend, got, want)
		}
		w.Run()
	}
}
