package pgcluster

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// children lists the processes whose parent is pid, those that are only waiting to be reaped left
// out. Every process of a server is a child of its postmaster.
func children(pid int) []int {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	parent := []byte(strconv.Itoa(pid))
	var found []int
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		// "pid (name) state parent …", where the name may hold anything.
		f := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
		if len(f) < 2 || f[0][0] == 'Z' || !bytes.Equal(f[1], parent) {
			continue
		}
		if child, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			found = append(found, child)
		}
	}
	return found
}

// pauseTree stops the postmaster first, so that it forks no more, then its children.
func pauseTree(pid int) []int {
	syscall.Kill(pid, syscall.SIGSTOP)
	stopped := map[int]bool{}
	var all []int
	for again := true; again; {
		again = false
		for _, child := range children(pid) {
			if !stopped[child] {
				syscall.Kill(child, syscall.SIGSTOP)
				stopped[child], again = true, true
				all = append(all, child)
			}
		}
	}
	return all
}

func resumeTree(pid int) {
	for _, child := range children(pid) {
		syscall.Kill(child, syscall.SIGCONT)
	}
	syscall.Kill(pid, syscall.SIGCONT)
}

func killTree(pid int) {
	for _, child := range pauseTree(pid) {
		syscall.Kill(child, syscall.SIGKILL)
	}
	syscall.Kill(pid, syscall.SIGKILL)
}

func interrupt(pid int) { syscall.Kill(pid, syscall.SIGINT) }
