package matrix

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"dlsim/checker"
	"dlsim/results"
	"dlsim/runner"
	"dlsim/scenarios"
	"dlsim/shrink"
	"dlsim/variants"
)

// Finding is the smallest run of a claim.
type Finding struct {
	*shrink.Result
	Variant  *variants.Variant
	Folder   string   // its place among the findings: the variant's name, for a further claim with the claim
	Shows    string   // with its kind
	Also     []string // claims of the same variant that it shows besides
	Design   bool     // the same run on the full design shows nothing of it
	seeds    uint64   // tried besides its own
	scenario *scenarios.Scenario
	done     *runner.Done
}

// tries is how many runs of a claim are shrunk in search of one fault or none: chance decides which
// violation a search met first.
const tries = 2

// smallest shrinks a run of each claim that no earlier one shows.
func (o *Options) smallest(ctx context.Context, w *runner.Worker, scenario *scenarios.Scenario, r *Row, searches []*found) error {
	for i := range r.Claims {
		if r.Claims[i].Seed == 0 || r.covered(i) {
			continue
		}
		begun := time.Now()
		var best *Finding
		for _, f := range searches[:min(tries, len(searches))] {
			if f.after[i] == 0 || best != nil && best.After.Faults <= 1 {
				continue
			}
			one, err := o.shrink(ctx, w, scenario, r.Claims[i].Name, f.seed[i])
			if err != nil {
				return err
			}
			if best == nil || one.After.Faults < best.After.Faults {
				best = one
			}
		}
		if best == nil {
			continue
		}
		r.shrunk(i, best.Result, time.Since(begun).Milliseconds())
		best.Variant, best.Folder = r.variant, r.Name
		if len(r.findings) > 0 {
			best.Folder = filepath.Join(r.Name, strings.NewReplacer("/", "-", "INV", "inv").Replace(best.Shows))
		}
		if err := best.finish(w, r); err != nil {
			return err
		}
		r.findings = append(r.findings, best)
	}
	return nil
}

// covered says whether an earlier finding of the row shows claim i too, and gives it its counts.
func (r *Row) covered(i int) bool {
	for _, f := range r.findings {
		for _, also := range f.Also {
			if also == r.Claims[i].Name {
				r.shrunk(i, f.Result, 0)
				r.Claims[i].Minimal = false // it was not its own violation that was kept
				return true
			}
		}
	}
	return false
}

// shrink makes one violating seed small, keeping the kind of violation that it shows.
func (o *Options) shrink(ctx context.Context, w *runner.Worker, scenario *scenarios.Scenario, claim string, seed uint64) (*Finding, error) {
	c, err := shrink.Explicit(scenario, seed)
	if err != nil {
		return nil, err
	}
	prepared, err := runner.Prepare(c.Scenario)
	if err != nil {
		return nil, err
	}
	done, err := w.Once(prepared, seed, nil)
	if err != nil {
		return nil, err
	}
	show, err := shrink.Choose(done.Judgement, c.Scenario, claim)
	if err != nil {
		return nil, fmt.Errorf("%s, seed %d: %w", scenario.Name, seed, err)
	}
	options := o.Shrink
	options.Work = o.Launch.Work
	small, err := shrink.Shrink(ctx, shrink.Probing(w, show), c, options)
	if err != nil && !errors.Is(err, shrink.ErrRuns) {
		return nil, fmt.Errorf("%s, seed %d: %w", scenario.Name, seed, err)
	}
	return &Finding{Result: small, Shows: show, seeds: options.Seeds}, nil
}

// finish runs the finding as its file will be, and on the full design.
func (f *Finding) finish(w *runner.Worker, r *Row) error {
	f.scenario = f.Expecting(f.Shows, "")
	f.scenario.Name, f.scenario.Description, f.scenario.Design = f.Variant.Name, f.Variant.Title, f.Variant.Design
	done, report, err := f.run(w, f.scenario)
	if err != nil {
		return err
	}
	for _, claim := range r.Must {
		if id, _, _ := strings.Cut(f.Shows, "/"); claim != id && claim != f.Shows && report.Shows(claim) {
			f.Also = append(f.Also, claim)
		}
	}
	f.scenario.Tells = sentence(done, report, f.Shows)
	if f.done, _, err = f.run(w, f.scenario); err != nil {
		return err
	}
	control, err := f.Variant.Control()
	if err != nil || control == nil {
		return err
	}
	full := *f.scenario
	full.Config = control.Config
	full.Config.Topology = f.scenario.Config.Topology
	_, report, err = f.run(w, &full)
	f.Design = err == nil && !report.Shows(f.Shows)
	return err
}

func (f *Finding) run(w *runner.Worker, s *scenarios.Scenario) (*runner.Done, *checker.Report, error) {
	prepared, err := runner.Prepare(s)
	if err != nil {
		return nil, nil, err
	}
	return w.Reported(prepared, f.Seed)
}

// sentence says what a run shows of name.
func sentence(done *runner.Done, report *checker.Report, name string) string {
	if o := report.Observation(name); o != nil {
		return o.Sentence
	}
	id, _, _ := strings.Cut(name, "/")
	for i := range done.Verdicts {
		if v := &done.Verdicts[i]; v.ID == id {
			return v.Sentence
		}
	}
	return ""
}

// Write leaves the finding below root: the scenario, the story, and how to repeat it.
func (f *Finding) Write(files results.Files, root string) error {
	path := filepath.Join(root, f.Folder)
	folder, err := results.RenewFolder(files, path)
	if err != nil {
		return err
	}
	command := fmt.Sprintf("dlsim run %s --seed %d", filepath.ToSlash(filepath.Join(path, results.ScenarioFile)), f.Seed)
	text, err := shrink.Commented(f.scenario, []string{
		fmt.Sprintf("%s (%s). Shows %s.", f.Variant.Title, f.Variant.Rule, f.Shows),
		f.Proof(f.Shows, f.seeds),
		"Again: " + command,
	})
	if err != nil {
		return err
	}
	if err := folder.WriteText(results.ScenarioFile, string(text)); err != nil {
		return err
	}
	if err := folder.WriteText(results.StoryFile, strings.Join(f.done.Story, "\n")+"\n"); err != nil {
		return err
	}
	if err := folder.WriteJSON(entryFile, &entry{
		Folder: filepath.ToSlash(f.Folder), Title: f.Variant.Title, Rule: f.Variant.Rule,
		Shows: f.Shows, Faults: f.After.Faults, Seed: f.Seed,
	}); err != nil {
		return err
	}
	return folder.WriteText("README.md", f.readme(command))
}

func (f *Finding) readme(command string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: %s\n\n%s falls (%s): %s\n", f.Variant.Name, results.Markdown(f.Variant.Title), f.Shows, results.Markdown(f.Variant.Rule), results.Markdown(f.scenario.Tells))
	fmt.Fprintf(&b, "\n    %s\n\nIt takes %s. %s", command, f.After, f.Proof(f.Shows, f.seeds))
	if f.Design {
		b.WriteString(" On the full design the same run shows nothing of it.")
	}
	b.WriteString(" The story is in [story.txt](story.txt).\n")
	return b.String()
}
