package scenarios

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"

	"dlsim/nemesis"
)

//go:embed *.yaml
var files embed.FS

// Names lists the scenarios that ship with dlsim, in alphabetical order.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // the files are part of the program
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".yaml")
	}
	return names
}

// All loads the scenarios that ship with dlsim.
func All() ([]*Scenario, error) {
	var all []*Scenario
	for _, name := range Names() {
		s, err := Load(name)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// Load reads a scenario by its name, or from a file where the argument looks like a path. The
// settings, in the form of Set, override it before it is judged as a whole.
func Load(nameOrPath string, settings ...string) (*Scenario, error) {
	text, err := files.ReadFile(nameOrPath + ".yaml")
	file := "scenarios/" + nameOrPath + ".yaml"
	if err != nil {
		if !strings.ContainsAny(nameOrPath, `/\`) && !strings.HasSuffix(nameOrPath, ".yaml") && !strings.HasSuffix(nameOrPath, ".yml") {
			return nil, fmt.Errorf("no scenario is called %q%s", nameOrPath, nemesis.DidYouMean(nameOrPath, Names()))
		}
		file = nameOrPath
		if text, err = readFile(nameOrPath); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("there is no scenario file %s", nameOrPath)
			}
			var path *fs.PathError
			if errors.As(err, &path) {
				return nil, fmt.Errorf("read scenario: %w", err)
			}
			return nil, err
		}
	}
	return Parse(file, text, settings...)
}

// Parse reads a scenario from text; file is its name in errors.
func Parse(file string, text []byte, settings ...string) (*Scenario, error) {
	s := Defaults()
	s.file, s.lines = file, map[string]int{}
	r := reader{file: file, lines: s.lines}
	if err := r.read(text, reflect.ValueOf(&s).Elem()); err != nil {
		return nil, err
	}
	for _, assignment := range settings {
		if err := s.Set(assignment); err != nil {
			return nil, err
		}
	}
	if s.Name == "" {
		s.Name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	}
	if problems := s.contradictions(); len(problems) > 0 {
		return nil, errors.New(problems[0].String())
	}
	return &s, nil
}
