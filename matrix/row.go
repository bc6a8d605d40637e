package matrix

import (
	"slices"

	"dlsim/shrink"
	"dlsim/variants"
)

// Row is what became of one variant. Its field names are a contract with programs.
type Row struct {
	Name  string   `json:"name"`
	Title string   `json:"title"`
	Rule  string   `json:"rule,omitempty"`  // the decision that it breaks
	Needs string   `json:"needs,omitempty"` // the faults that the hypothesis takes
	Must  []string `json:"must"`            // what the hypothesis says is found

	Violated []string `json:"violated"` // invariants, in any of the seeds
	Observed []string `json:"observed"`

	Confirmed bool   `json:"confirmed"`
	Refuted   string `json:"refuted,omitempty"` // what the runs show instead, where that is known
	Why       string `json:"why,omitempty"`     // what is missing, where the outcome is not what the table says

	Seeds       int `json:"seeds"`        // run in all searches
	SeedsMedian int `json:"seeds_median"` // until all was found; 0 where nothing is to be found, or was
	SeedsP90    int `json:"seeds_p90"`

	Faults    int     `json:"faults"` // of the smallest run of the first claim; -1 where there is none
	Processes int     `json:"processes,omitempty"`
	Payouts   int     `json:"payouts,omitempty"`
	Claims    []Claim `json:"claims"`

	// Control is clean, none where there can be none, or what the same plans show on the full design.
	Control      string  `json:"control"`
	ControlSeeds int     `json:"control_seeds"`
	WallMS       float64 `json:"wall_ms"`

	findings []*Finding
	variant  *variants.Variant
}

// Claim is one thing that a row must show.
type Claim struct {
	Name        string `json:"name"`
	Seed        uint64 `json:"seed,omitempty"` // the first that shows it
	SeedsMedian int    `json:"seeds_median"`   // 0 when not found in every search
	Faults      int    `json:"faults"`         // of its smallest run; -1 where there is none
	Minimal     bool   `json:"minimal"`        // without any one of those faults it is lost
	ShrinkMS    int64  `json:"shrink_ms"`
}

// Values of Control.
const (
	Clean     = "clean"
	NoControl = "none"
)

// Good says whether the row came out as the table says.
func (r *Row) Good() bool {
	return r.Why == "" && (r.Control == Clean || r.Control == NoControl)
}

// Findings are the smallest runs of the row's claims; a run that shows several stands for all.
func (r *Row) Findings() []*Finding { return r.findings }

// newRow begins the row of a variant.
func newRow(v *variants.Variant) *Row {
	r := &Row{
		Name: v.Name, Title: v.Title, Rule: v.Rule, Needs: v.Needs, Must: slices.Clone(v.Found), Refuted: v.Refuted,
		Violated: []string{}, Observed: []string{}, Claims: []Claim{}, Faults: -1, Control: NoControl, variant: v,
	}
	if r.Must == nil {
		r.Must = []string{}
	}
	if r.Rule == "" {
		r.Rule = v.Report
	}
	for _, name := range v.Found {
		r.Claims = append(r.Claims, Claim{Name: name, Faults: -1})
	}
	return r
}

// shrunk takes over what the smallest run of claim i came to.
func (r *Row) shrunk(i int, s *shrink.Result, ms int64) {
	c := &r.Claims[i]
	c.Faults, c.Minimal, c.ShrinkMS = s.After.Faults, s.Minimal, ms
	if i == 0 {
		r.Faults, r.Processes, r.Payouts = s.After.Faults, s.After.Processes, s.After.Payouts
	}
}
