package main

import (
	"errors"
	"fmt"
	"io/fs"

	"dlsim/results"
	"dlsim/runner"
)

// Exit statuses.
const (
	exitMet         = 0   // the scenario's expectation was met
	exitNotMet      = 1   // it was not, or a replay differed
	exitUsage       = 2   // a usage or scenario error
	exitNoWorld     = 3   // the world could not start, or a folder cannot be read or written
	exitUnknown     = 4   // unknown or inconclusive
	exitInterrupted = 130 // Ctrl-C; what was done is kept
)

// status is how a command ends when not with 0: a code, and a line to say or nil when the output
// has said it already.
type status struct {
	code int
	err  error
}

func (s *status) Error() string {
	if s.err == nil {
		return fmt.Sprintf("exit status %d", s.code)
	}
	return s.err.Error()
}

func (s *status) Unwrap() error { return s.err }

// usage is a mistake in what the person asked for.
func usage(err error) error { return &status{exitUsage, err} }

// broken is a world or a folder that does not work.
func broken(err error) error { return &status{exitNoWorld, err} }

// expectation turns what became of an expectation into an end.
func expectation(value string) error {
	switch value {
	case results.Met:
		return nil
	case results.NotMet:
		return &status{exitNotMet, nil}
	}
	return &status{exitUnknown, nil}
}

// codeOf returns the exit status that err asks for, and the line to say.
func codeOf(err error) (int, string) {
	if err == nil {
		return exitMet, ""
	}
	line := results.OneLine(err.Error())
	var s *status
	var path *fs.PathError
	switch {
	case errors.As(err, &s):
		if s.err == nil {
			line = ""
		}
		return s.code, line
	case errors.Is(err, results.ErrFolder), errors.Is(err, runner.ErrWorld):
		return exitNoWorld, line
	case errors.As(err, &path): // what reads files says so itself
		return exitNoWorld, "the output is cut short: " + line
	}
	return exitUsage, line // cobra's own: an unknown command or flag
}
