package docs_test

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"dlsim/nemesis"
	"dlsim/scenarios"
)

// The table of settings has every setting of a scenario file, in order, with its default.
func TestSettingsAreTrue(t *testing.T) {
	rows := tableRows(t, "writing-scenarios.md", "setting", 3)
	said := map[string]string{}
	for _, r := range rows {
		said[r[0]] = r[1]
	}
	want := settings("", reflect.ValueOf(scenarios.Defaults()))
	for _, s := range want {
		if got, ok := said["`"+s[0]+"`"]; !ok || got != s[1] {
			t.Errorf("%s: the default is %s, the table says %q", s[0], s[1], got)
		}
	}
	if len(rows) != len(want) {
		t.Errorf("%d rows for %d settings", len(rows), len(want))
	}
}

// The table of keys has every key at the top of a scenario file.
func TestKeysAreTrue(t *testing.T) {
	said := map[string]bool{}
	for _, r := range tableRows(t, "writing-scenarios.md", "key of the file", 2) {
		for _, key := range strings.Split(r[0], ", ") {
			said[strings.Trim(key, "`")] = true
		}
	}
	want := keys(reflect.TypeFor[scenarios.Scenario]())
	for _, key := range want {
		if !said[key] {
			t.Errorf("the table lacks %s", key)
		}
	}
	if len(said) != len(want) {
		t.Errorf("%d keys in the table, %d in the file", len(said), len(want))
	}
}

// Every scenario that a document shows can be run and raises no doubts.
func TestShownScenariosAreSound(t *testing.T) {
	text, err := os.ReadFile("writing-scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(text), "```yaml\n")[1:]
	if len(blocks) == 0 {
		t.Fatal("no scenario is shown")
	}
	for _, b := range blocks {
		block, _, _ := strings.Cut(b, "```")
		s, err := scenarios.Parse("writing-scenarios.md", []byte(block))
		if err != nil {
			t.Errorf("%v\n%s", err, block)
			continue
		}
		for _, p := range scenarios.Lint(s) {
			t.Error(p)
		}
	}
}

// keys lists the YAML names of t's fields, those of inlined structs among them.
func keys(t reflect.Type) []string {
	var all []string
	for i := range t.NumField() {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
		switch {
		case options == "inline":
			all = append(all, keys(t.Field(i).Type)...)
		case name != "":
			all = append(all, name)
		}
	}
	return all
}

// settings lists the paths of v's numbers, durations, switches and choices with their values as
// written. Lists, and texts that have no default, are no settings in this sense.
func settings(prefix string, v reflect.Value) [][2]string {
	var all [][2]string
	for i := range v.NumField() {
		name, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		f := v.Field(i)
		switch {
		case options == "inline":
			all = append(all, settings(prefix, f)...)
		case name == "" || f.Kind() == reflect.Map || f.Kind() == reflect.Slice || f.Kind() == reflect.Pointer,
			f.Kind() == reflect.String && f.Len() == 0:
		case f.Kind() == reflect.Struct:
			all = append(all, settings(prefix+name+".", f)...)
		default:
			text := fmt.Sprint(f.Interface())
			if d, ok := f.Interface().(time.Duration); ok {
				text = nemesis.FormatDuration(d)
			}
			all = append(all, [2]string{prefix + name, text})
		}
	}
	return all
}
