package runner

import (
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
)

// BenchmarkRun measures whole runs on one core as a sweep makes them: resolved, run, recorded and
// checked. Besides time it reports runs a second, how many times faster than the wall virtual time
// passes (median and slowest tenth), and the heap that is live after a run.
func BenchmarkRun(b *testing.B) {
	for _, name := range []string{"standard", "everything"} {
		b.Run(name, func(b *testing.B) {
			s, err := Load(name)
			if err != nil {
				b.Fatal(err)
			}
			w := NewWorker(Virtual)
			defer w.Close()
			defer debug.SetGCPercent(debug.SetGCPercent(SweepGCPercent))
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			b.ReportAllocs()
			events := 0
			var ratios []float64
			for seed := uint64(1); b.Loop(); seed++ {
				n, err := w.count(s, seed)
				if err != nil {
					b.Fatal(err)
				}
				events += n.events
				ratios = append(ratios, n.virtualMS/n.wallMS)
			}
			slices.Sort(ratios)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
			b.ReportMetric(float64(events)/float64(b.N), "events/op")
			b.ReportMetric(ratios[len(ratios)/2], "virtual/wall-median")
			b.ReportMetric(ratios[len(ratios)/10], "virtual/wall-p10")
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.HeapAlloc)/1e6, "live-MB")
		})
	}
}
