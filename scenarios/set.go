package scenarios

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"dlsim/nemesis"
)

// fromSet stands for the line of a setting that Set has overridden: the file's line no longer tells.
const fromSet = -1

// Set overrides one setting: "rail.proxy.fencing.enabled=false". The path names keys as the file
// does, and items of lists by their number from 0; the value is YAML, read as strictly as a file.
// A list or mapping may be set whole: "faults=[]". What is set is no longer drawn.
func (s *Scenario) Set(assignment string) error {
	path, text, ok := strings.Cut(assignment, "=")
	if !ok || path == "" {
		return fmt.Errorf("--set %q: want path=value, such as lock.ttl=5s", assignment)
	}
	if err := s.set(path, text); err != nil {
		return fmt.Errorf("--set %s: %s", assignment, strings.TrimPrefix(err.Error(), path+": "))
	}
	if s.lines != nil {
		s.lines = maps.Clone(s.lines)
		s.lines[path] = fromSet
	}
	maps.DeleteFunc(s.Draw, func(drawn string, _ []Choice) bool {
		return drawn == path || strings.HasPrefix(drawn, path+".")
	})
	return nil
}

func (s *Scenario) set(path, text string) error {
	s.unshare()
	v, store, err := find(reflect.ValueOf(s).Elem(), path)
	if err != nil {
		return err
	}
	if strings.TrimSpace(text) == "" && v.Kind() != reflect.String {
		return fmt.Errorf("%s: has no value", path)
	}
	r := reader{file: "set"}
	if v.Kind() == reflect.String && text == "" {
		v.SetString("")
		return nil
	}
	if err := r.read([]byte(text), v); err != nil {
		message := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "set:1: "), "set: ")
		return fmt.Errorf("%s: %s", path, message)
	}
	store()
	return nil
}

// unshare copies what a copy of the scenario would share with it and Set could change in place.
func (s *Scenario) unshare() {
	s.Faults = slices.Clone(s.Faults)
	s.Random = maps.Clone(s.Random)
	s.Draw = maps.Clone(s.Draw)
	s.Breaks = slices.Clone(s.Breaks)
	s.MustExercise = slices.Clone(s.MustExercise)
	for _, list := range []*[]string{&s.Expect.Violated, &s.Expect.Holds, &s.Expect.Never, &s.Expect.Waived} {
		*list = slices.Clone(*list)
	}
}

// find walks path from v. What it finds in a map has to be stored back after it was changed.
func find(v reflect.Value, path string) (found reflect.Value, store func(), err error) {
	store = func() {}
	if strings.HasSuffix(path, ".") {
		return v, nil, fmt.Errorf("%q ends in a dot", path)
	}
	walked := ""
	for rest := path; rest != ""; {
		var key string
		key, rest, _ = strings.Cut(rest, ".")
		walked = join(walked, key)
		switch v.Kind() {
		case reflect.Struct:
			fields := fieldsOf(v)
			i := slices.IndexFunc(fields, func(f field) bool { return f.name == key })
			if i < 0 {
				return v, nil, fmt.Errorf("unknown key %q%s", walked, nemesis.DidYouMean(key, fieldNames(fields)))
			}
			v = fields[i].value
		case reflect.Slice:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= v.Len() {
				return v, nil, fmt.Errorf("%s: the list has %d items, numbered from 0", walked, v.Len())
			}
			v = v.Index(i)
		case reflect.Map:
			if v.IsNil() {
				v.Set(reflect.MakeMap(v.Type()))
			}
			owner, at := v, reflect.ValueOf(key)
			if v.Type() == reflect.TypeFor[map[string][]Choice]() && rest != "" {
				at, rest = reflect.ValueOf(key+"."+rest), "" // keys of draw are paths themselves
			}
			v = reflect.New(v.Type().Elem()).Elem()
			if have := owner.MapIndex(at); have.IsValid() {
				v.Set(have)
			}
			found := v
			store = func() { owner.SetMapIndex(at, found) }
		default:
			return v, nil, errors.New(strings.TrimSuffix(walked, "."+key) + " has no keys of its own")
		}
	}
	return v, store, nil
}
