package main

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"dlsim/matrix"
	"dlsim/nemesis"
	"dlsim/results"
	"dlsim/variants"

	"github.com/spf13/cobra"
)

// matrixRoot is where matrices go when nobody names another place.
var matrixRoot = filepath.Join("results", "matrix")

func (a *app) matrixCommand() *cobra.Command {
	var (
		full, asJSON  bool
		out, findings string
	)
	cmd := &cobra.Command{
		Use:   "matrix [variant]…",
		Short: "Run every variant of the design against random plans, and the full design against the same",
		Long: `Run every variant of the design, or the named ones, against random plans: what was violated and observed,
whether that is what the table says, after how many seeds, the smallest run that shows it, and what the same
plans do to the full design.`,
		Example: `  dlsim matrix
  dlsim matrix fencing-off token-alone --json
  dlsim matrix --full --findings results/findings`,
		RunE: func(cmd *cobra.Command, args []string) error {
			table, err := rowsNamed(args)
			if err != nil {
				return usage(err)
			}
			relaxGC()
			begun := time.Now()
			options := matrix.Quick(a.launch, runtime.GOMAXPROCS(0))
			if full {
				options = matrix.Full(a.launch, runtime.GOMAXPROCS(0))
			}
			options.Step = func(done, of int, r *matrix.Row) {
				verdict := "as the table says"
				if !r.Good() {
					verdict = "NOT as the table says"
				}
				fmt.Fprintf(a.stderr, "%d of %d: %s: %s, %d seeds in %.1f s\n", done, of, r.Name, verdict, r.Seeds+r.ControlSeeds, r.WallMS/1000)
			}
			m, err := matrix.Run(cmd.Context(), table, options)
			if err != nil {
				return err
			}
			m.WallMS = float64(time.Since(begun)) / 1e6
			if findings != "" {
				if err := m.WriteFindings(a.files, findings); err != nil {
					return err
				}
			}
			kind := "quick"
			if full {
				kind = "full"
			}
			folder, err := a.folder(out, matrixRoot, "matrix", kind)()
			if err != nil {
				return err
			}
			if err := m.Write(folder); err != nil {
				return err
			}
			if asJSON {
				err = a.object(m)
			} else {
				err = m.WriteText(a.stdout, a.style())
			}
			switch {
			case err != nil:
				return err
			case m.Interrupted:
				return &status{exitInterrupted, nil}
			case !m.Good():
				return &status{exitNotMet, nil}
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&full, "full", false, "search each row twenty times instead of five")
	flags.StringVar(&findings, "findings", "", "write the smallest run of each claim below this `folder`")
	flags.StringVar(&out, "out", "", "the matrix's `folder`, new or empty (default results/matrix/matrix-quick)")
	flags.BoolVar(&asJSON, "json", false, "print the result as one JSON object")
	return cmd
}

// rowsNamed lists the rows to run: all, or those named, in the table's order.
func rowsNamed(names []string) ([]*variants.Variant, error) {
	all := append(variants.All(), matrix.Questions()...)
	if len(names) == 0 {
		return all, nil
	}
	var known []string
	for _, v := range all {
		known = append(known, v.Name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("no variant is called %q%s", results.Plain(name), nemesis.DidYouMean(name, known))
		}
	}
	return slices.DeleteFunc(all, func(v *variants.Variant) bool { return !slices.Contains(names, v.Name) }), nil
}
