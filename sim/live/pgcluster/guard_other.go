//go:build !linux

package pgcluster

import "os/exec"

// Elsewhere newGuard fails, so that nothing below is ever reached with a process.
const supported = false

func detach(*exec.Cmd)    {}
func children(int) []int  { return nil }
func pauseTree(int) []int { return nil }
func resumeTree(int)      {}
func killTree(int)        {}
func interrupt(int)       {}
