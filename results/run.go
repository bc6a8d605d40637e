package results

// Values of a verdict. Unknown is never green.
const (
	Holds    = "holds"
	Violated = "violated"
	Unknown  = "unknown"
	NA       = "n/a"
)

// Values of an expectation.
const (
	Met          = "met"
	NotMet       = "not met"
	Inconclusive = "inconclusive"
)

// Run is the JSON object of one run. Its field names are a contract with programs.
type Run struct {
	Scenario  string  `json:"scenario"`
	Seed      uint64  `json:"seed"`
	World     string  `json:"world"` // virtual or live
	Hash      string  `json:"hash"`  // of the history; "" in a world that is not deterministic
	TraceHash string  `json:"trace_hash"`
	Events    int     `json:"events"`
	VirtualMS float64 `json:"virtual_ms"` // time that passed inside the world
	WallMS    float64 `json:"wall_ms"`    // time that passed outside, checking included

	Invariants   map[string]string  `json:"invariants"`   // INV-01: holds, …
	Observations map[string]int64   `json:"observations"` // name: how many
	Measures     map[string]float64 `json:"measures"`
	Faults       []Fault            `json:"faults"`

	Expectation string `json:"expectation"` // met, not met or inconclusive
	Why         string `json:"why"`         // one sentence, "" when there is nothing to explain
	Results     string `json:"results"`     // the run's folder, "" when nothing was written
}

// Fault is one fault of the plan and what became of it.
type Fault struct {
	Kind   string `json:"kind"`
	Target string `json:"target"`
	Bit    bool   `json:"bit"`              // something in the system met it
	Note   string `json:"note,omitempty"`   // what it met, or why it met nothing
	Anchor string `json:"anchor,omitempty"` // process, last event before it, how-manieth
}

// Verdict is one invariant's judgement in full.
type Verdict struct {
	ID       string  `json:"id"`
	Value    string  `json:"value"`
	Model    string  `json:"model,omitempty"` // what judged: linear, porcupine, fenced mutex, …
	Sentence string  `json:"sentence,omitempty"`
	Witness  []int64 `json:"witness,omitempty"` // event ids, in the order in which they matter
	// Kinds are the ways in which it was violated, the one that the sentence tells first.
	Kinds []string `json:"kinds,omitempty"`
}

// Name is the violation as expectations name it, such as INV-02/two-payments.
func (v *Verdict) Name() string {
	if len(v.Kinds) == 0 {
		return v.ID
	}
	return v.ID + "/" + v.Kinds[0]
}

// Judgement is verdict.json: the run's object and its verdicts in full.
type Judgement struct {
	Run
	Verdicts  []Verdict `json:"verdicts"`
	Quiescent bool      `json:"quiescent"` // false when the bound ended the run
}

// Violations lists the ids of the violated invariants, in the verdicts' order.
func (j *Judgement) Violations() []string {
	var ids []string
	for i := range j.Verdicts {
		if j.Verdicts[i].Value == Violated {
			ids = append(ids, j.Verdicts[i].ID)
		}
	}
	return ids
}

// Main is the violation that a story tells and that shrinking keeps: the one that matters most to
// money. It is nil when nothing is violated.
func (j *Judgement) Main() *Verdict { return mainViolation(j.Verdicts) }

// Build says what made a folder, so that a replay can warn when it is made of something else.
type Build struct {
	Schema int    `json:"schema"` // of the folder's files
	Go     string `json:"go"`
	Dlsim  string `json:"dlsim"` // module version and revision, "devel" when unknown
	// Scenario is the digest of the folder's scenario file; "" in folders of before it was kept.
	Scenario string `json:"scenario_sha256,omitempty"`
}

// Schema is the version of the folder's files. It rises when a reader of the old form would err.
const Schema = 1
