package runner

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"dlsim/checker"
	"dlsim/results"
)

// Soak is what a scenario came to that was run again and again, with one seed after another, until
// its time was over. Its expectation is judged as a sweep's is, over all runs together.
type Soak struct {
	Scenario    string         `json:"scenario"`
	World       string         `json:"world"`
	Seeds       string         `json:"seeds"`
	Runs        int            `json:"runs"`
	Seconds     float64        `json:"seconds"`
	Payouts     int64          `json:"payouts"`     // that reached a final state POSTED
	Payments    int64          `json:"payments"`    // in the rails' books
	Submissions int64          `json:"submissions"` // to the proxies
	Ambiguous   int64          `json:"ambiguous"`   // of them
	FencedOut   int64          `json:"fenced_out"`
	Faults      int            `json:"faults"` // planned
	Bit         int            `json:"faults_bit"`
	BitOf       map[string]int `json:"bit_of"`   // by kind
	Violated    map[string]int `json:"violated"` // runs, by invariant
	Unknown     map[string]int `json:"unknown"`
	Expectation string         `json:"expectation"`
	Why         string         `json:"why,omitempty"`
	Results     string         `json:"results,omitempty"`
}

// RunFor runs s with seed, seed+1, … until d has passed or ctx ends, and tells each of every run.
// Every run leaves its folder below the one that newFolder makes. With an error, which names the
// seed, what was counted until then is returned and written, too.
func RunFor(ctx context.Context, launch Launch, s *Scenario, seed uint64, d time.Duration, newFolder func() (*results.Folder, error), each func(*Done)) (*Soak, error) {
	begun := time.Now()
	soak := &Soak{
		Scenario: s.Name, World: launch.World,
		BitOf: map[string]int{}, Violated: map[string]int{}, Unknown: map[string]int{},
	}
	folder, err := newFolder()
	if err != nil {
		return nil, err
	}
	soak.Results = folder.Path
	w := NewWorker(launch)
	defer w.Close()
	tally := newSweepTally(s.expect)
	for next := seed; ctx.Err() == nil && (soak.Runs == 0 || time.Since(begun) < d); next++ {
		done, result, err := w.once(s, next, func() (*results.Folder, error) { return folder.Sub(strconv.FormatUint(next, 10)) })
		if err != nil {
			soak.Seconds = time.Since(begun).Seconds()
			soak.Expectation, soak.Why = checker.Inconclusive.String(), fmt.Sprintf("seed %d: %v", next, err)
			return soak, firstOf(fmt.Errorf("seed %d: %w", next, err), folder.WriteJSON("soak.json", soak))
		}
		if ctx.Err() != nil {
			break // the run was cut short and proves nothing
		}
		soak.add(done)
		soak.Seeds = fmt.Sprintf("%d..%d", seed, next)
		tally.add(&result.Report, idleFault(&s.expect, result.Faults))
		each(done)
	}
	soak.Seconds = time.Since(begun).Seconds()
	value, why := tally.result()
	if soak.Runs == 0 {
		value, why = checker.Inconclusive, "no run came to its end"
	}
	soak.Expectation, soak.Why = value.String(), why
	return soak, folder.WriteJSON("soak.json", soak)
}

func (k *Soak) add(d *Done) {
	k.Runs++
	k.Payouts += int64(d.Measures["posted"])
	k.Payments += int64(d.Measures["payments"])
	k.Submissions += int64(d.Measures["submissions"])
	k.FencedOut += int64(d.Measures["fenced_out"])
	k.Ambiguous += int64(d.Measures["ambiguous"])
	for _, f := range d.Faults {
		k.Faults++
		if f.Bit {
			k.Bit++
			k.BitOf[f.Kind]++
		}
	}
	for id, value := range d.Invariants {
		switch value {
		case checker.Violated.String():
			k.Violated[id]++
		case checker.Unknown.String():
			k.Unknown[id]++
		}
	}
}
