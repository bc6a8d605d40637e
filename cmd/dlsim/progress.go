package main

import (
	"fmt"
	"os"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/schollz/progressbar/v3"
)

// progress shows how far a sweep is: a bar on a terminal, a plain line every so often elsewhere,
// always on stderr. Its methods are called from one goroutine at a time.
type progress struct {
	app   *app
	total uint64
	done  uint64
	found int
	bar   *progressbar.ProgressBar
	begun time.Time
	next  time.Time
}

const (
	barEvery  = 100 * time.Millisecond
	lineEvery = 10 * time.Second
)

func (a *app) progress(what string, total uint64) *progress {
	p := &progress{app: a, total: total, begun: time.Now()}
	p.next = p.begun.Add(lineEvery)
	if file, ok := a.stderr.(*os.File); ok && isatty.IsTerminal(file.Fd()) {
		p.next = p.begun
		p.bar = progressbar.NewOptions64(int64(min(total, 1<<62)),
			progressbar.OptionSetWriter(a.stderr), progressbar.OptionSetDescription(what),
			progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionSetItsString("seeds"),
			progressbar.OptionClearOnFinish(), progressbar.OptionFullWidth(), progressbar.OptionThrottle(barEvery))
	}
	return p
}

// step counts one finished seed.
func (p *progress) step(violated bool) {
	p.done++
	if violated {
		p.found++
	}
	now := time.Now()
	if now.Before(p.next) {
		return
	}
	if p.bar != nil {
		p.next = now.Add(barEvery)
		_ = p.bar.Set64(int64(p.done)) // a bar that cannot be drawn is no reason to stop
		return
	}
	p.next = now.Add(lineEvery)
	fmt.Fprintf(p.app.stderr, "%d of %d seeds, %d violated, %.0f seeds/s\n",
		p.done, p.total, p.found, float64(p.done)/now.Sub(p.begun).Seconds())
}

func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
