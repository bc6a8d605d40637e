package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"dlsim/results"
	"dlsim/runner"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// app is the program with its surroundings, so that tests can give it others.
type app struct {
	stdout, stderr io.Writer
	launch         runner.Launch
	files          results.Files
}

func newApp(stdout, stderr io.Writer) *app {
	return &app{stdout: stdout, stderr: stderr, launch: runner.Virtual, files: results.Disk}
}

// execute runs one command line and returns its exit status. Mistakes end in one line on stderr.
func (a *app) execute(ctx context.Context, args []string) int {
	root := a.root()
	root.SetArgs(args)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	err := root.ExecuteContext(ctx)
	code, line := codeOf(err)
	if line != "" {
		fmt.Fprintln(a.stderr, "dlsim: "+line)
	}
	var bug *runner.Bug
	if os.Getenv("DLSIM_STACK") != "" && errors.As(err, &bug) {
		_, _ = a.stderr.Write(bug.Stack)
	}
	return code
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "dlsim",
		Short:         "Run a payout system under distributed locks through faults, and check what it promises",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return usage(unknownCommand(cmd, args[0]))
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SuggestionsMinimumDistance = 2
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		err = plainFlag(err)
		return usage(fmt.Errorf("%w (%s --help lists the flags)", err, cmd.CommandPath()))
	})
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(a.runCommand(), a.sweepCommand(), a.replayCommand(), a.shrinkCommand(), a.matrixCommand(), a.reportCommand(), a.listCommand(), a.lintCommand(), a.doctorCommand())
	return root
}

// plainFlag says what a flag wants, where pflag tells how it tried to parse it.
func plainFlag(err error) error {
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return err
	}
	wants := map[string]string{
		"uint64": "a whole number from 0 to 18446744073709551615", "int": "a whole number",
		"bool": "true or false", "duration": "a duration such as 2s or 150ms",
	}[bad.GetFlag().Value.Type()]
	if wants == "" {
		return err
	}
	return fmt.Errorf("--%s wants %s, not %q", bad.GetFlag().Name, wants, bad.GetValue())
}

func unknownCommand(root *cobra.Command, word string) error {
	hint := ""
	if near := root.SuggestionsFor(word); len(near) > 0 {
		hint = fmt.Sprintf(": did you mean %s?", strings.Join(near, " or "))
	}
	return fmt.Errorf("unknown command %q%s (dlsim --help lists them)", word, hint)
}

// exactly wants n arguments and says in words which.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == n {
			return nil
		}
		return usage(fmt.Errorf("%s wants %s, got %s", cmd.CommandPath(), what, plural(len(args), "argument")))
	}
}

// plural counts things whose plural ends in s.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// style says what the person's terminal can do; a pipe and NO_COLOR get plain text.
func (a *app) style() results.Style {
	file, ok := a.stdout.(*os.File)
	if !ok || !isatty.IsTerminal(file.Fd()) {
		return results.Style{}
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		width = 0
	}
	return results.Style{Color: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb", Width: width}
}

// object prints v as one line of JSON.
func (a *app) object(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode the result: %w", err)
	}
	_, err = fmt.Fprintf(a.stdout, "%s\n", line)
	return err
}

// interrupted tells a cancelled context from everything else.
func interrupted(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }
