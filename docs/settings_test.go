package docs_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"dlsim/nemesis"
	"dlsim/sim"
	"dlsim/system/config"
)

// The tables of writing-scenarios.md name every setting of the system with its default, and every
// key of the workload and the network.
func TestSettingsAreTrue(t *testing.T) {
	for _, tt := range []struct {
		head     string
		settings [][2]string
	}{
		{"setting", leaves("", reflect.ValueOf(config.Defaults()))},
		{"key of the workload", leaves("", reflect.ValueOf(sim.Workload{}))},
		{"key of the network", leaves("", reflect.ValueOf(sim.Network{}))},
	} {
		columns := 2
		if tt.head == "setting" {
			columns = 3
		}
		rows := tableRows(t, "writing-scenarios.md", tt.head, columns)
		said := map[string]string{}
		for _, r := range rows {
			said[r[0]] = r[1]
			if r[columns-1] == "" {
				t.Errorf("%s is not explained", r[0])
			}
		}
		for _, s := range tt.settings {
			got, ok := said["`"+s[0]+"`"]
			if !ok {
				t.Errorf("the table headed %q lacks %s (default %s)", tt.head, s[0], s[1])
			} else if columns == 3 && got != s[1] {
				t.Errorf("%s: the default is %s, the table says %s", s[0], s[1], got)
			}
		}
		if len(rows) != len(tt.settings) {
			t.Errorf("the table headed %q has %d rows for %d keys", tt.head, len(rows), len(tt.settings))
		}
	}
}

// leaves lists the paths of v's fields by their YAML names, each with its value in written form.
func leaves(prefix string, v reflect.Value) [][2]string {
	var all [][2]string
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		path, f := prefix+name, v.Field(i)
		if f.Kind() == reflect.Struct {
			all = append(all, leaves(path+".", f)...)
			continue
		}
		text := fmt.Sprint(f.Interface())
		if d, ok := f.Interface().(time.Duration); ok {
			text = nemesis.FormatDuration(d)
		}
		all = append(all, [2]string{path, text})
	}
	return all
}
