package runner

import (
	"bytes"
	"compress/gzip"
	"io"
	"strconv"

	"dlsim/nemesis"
	"dlsim/results"
	"dlsim/sim"
)

// recording keeps a run's trace while it runs and its history once it has ended.
type recording struct {
	job       *Job
	newFolder func() (*results.Folder, error)
	folder    *results.Folder
	trace     bytes.Buffer // gzipped
	packed    *gzip.Writer // nil before the first step
	line      []byte
}

// step adds one step to the trace. A buffer does not fail.
func (r *recording) step(step, at int64, what string) {
	if r.packed == nil {
		r.packed = gzip.NewWriter(&r.trace)
	}
	r.line = traceLine(r.line[:0], step, at, what)
	_, _ = r.packed.Write(r.line)
}

func traceLine(b []byte, step, at int64, what string) []byte {
	b = strconv.AppendInt(b, step, 10)
	b = append(b, ' ')
	b = strconv.AppendInt(b, at, 10)
	b = append(b, ' ')
	b = append(b, results.Plain(what)...)
	return append(b, '\n')
}

// ended puts on disk what is known before anything is judged.
func (r *recording) ended(o sim.Outcome, faults []nemesis.Result) error {
	if r.newFolder == nil {
		return nil
	}
	var err error
	if r.folder, err = r.newFolder(); err != nil {
		return err
	}
	if err := r.folder.WriteHistory(o.Events); err != nil {
		return err
	}
	text, err := r.job.yaml()
	if err != nil {
		return err
	}
	build := results.ThisBuild()
	build.Scenario = results.Digest(text)
	if err := r.folder.WriteJSON(results.BuildFile, build); err != nil {
		return err
	}
	if err := r.folder.WriteText(results.ScenarioFile, string(text)); err != nil {
		return err
	}
	if err := r.folder.WriteText(results.PlanFile, string(r.job.planYAML(faults, o.Events))); err != nil {
		return err
	}
	return r.writeTrace()
}

func (r *recording) writeTrace() error {
	if r.packed == nil {
		return nil // a world that tells no steps
	}
	return r.folder.Write(results.TraceFile, func(w io.Writer) error {
		if err := r.packed.Close(); err != nil {
			return err
		}
		_, err := r.trace.WriteTo(w)
		return err
	})
}
