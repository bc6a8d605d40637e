package scenarios

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"reflect"
	"strconv"
	"time"
	"unicode/utf8"

	"dlsim/nemesis"
)

// What a scenario may ask for at most. More would fill the machine's memory, or run over the
// width of a number, long before it showed anything that less does not.
const (
	maxFile     = 1 << 20 // bytes
	maxOfARole  = 100     // processes of one role, nodes of etcd
	maxPool     = 1000
	maxWorkload = 10_000            // accounts; payouts
	maxMoney    = 1_000_000_000_000 // minor units; that of all accounts together fits 64 bits
	longest     = 24 * time.Hour
)

// readFile reads a scenario's file, or says why it can be none: it stops at what no scenario is
// as large as, so that a device or a disk image does no harm.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a folder: name a scenario file", path)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxFile {
		return nil, fmt.Errorf("%s: no scenario file: it is larger than %d KB", path, maxFile>>10)
	}
	if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		return nil, fmt.Errorf("%s: no scenario file: it is not text", path)
	}
	return text, nil
}

// excess finds a setting that is beyond its limit.
func (s *Scenario) excess() (Problem, bool) {
	for _, n := range []struct {
		path     string
		got, max int64
	}{
		{"topology.executors", int64(s.Topology.Executors), maxOfARole},
		{"topology.proxies", int64(s.Topology.Proxies), maxOfARole},
		{"topology.lockds", int64(s.Topology.Lockds), maxOfARole},
		{"topology.etcd_nodes", int64(s.Topology.EtcdNodes), maxOfARole},
		{"paydb.pool", int64(s.Paydb.Pool), maxPool},
		{"workload.accounts", int64(s.Workload.Accounts), maxWorkload},
		{"workload.payouts", int64(s.Workload.Payouts), maxWorkload},
		{"workload.list", int64(len(s.Workload.List)), maxWorkload},
		{"workload.amount_min", s.Workload.AmountMin, maxMoney},
		{"workload.amount_max", s.Workload.AmountMax, maxMoney},
		{"workload.opening", s.Workload.Opening, maxMoney},
	} {
		if n.got > n.max {
			return s.problem(n.path, "%d is more than %d", n.got, n.max), true
		}
	}
	for i, p := range s.Workload.List {
		if p.Amount > maxMoney {
			return s.problem("workload.list."+strconv.Itoa(i), "%d is more than %d", p.Amount, int64(maxMoney)), true
		}
	}
	return s.tooLong(reflect.ValueOf(s).Elem(), "")
}

// tooLong finds a duration below v that no run has a use for. Sums of two would run over.
func (s *Scenario) tooLong(v reflect.Value, path string) (Problem, bool) {
	switch {
	case v.Type() == reflect.TypeFor[time.Duration]():
		if d := time.Duration(v.Int()); d > longest || d < -longest {
			return s.problem(path, "%s is longer than %s", nemesis.FormatDuration(d), nemesis.FormatDuration(longest)), true
		}
	case v.Kind() == reflect.Struct:
		for _, f := range fieldsOf(v) {
			if p, ok := s.tooLong(f.value, join(path, f.name)); ok {
				return p, true
			}
		}
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			if p, ok := s.tooLong(v.Index(i), join(path, strconv.Itoa(i))); ok {
				return p, true
			}
		}
	case v.Kind() == reflect.Pointer && !v.IsNil():
		return s.tooLong(v.Elem(), path)
	}
	return Problem{}, false
}
