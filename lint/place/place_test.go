package place_test

import (
	"testing"

	"dlsim/lint/place"
)

func TestPlaces(t *testing.T) {
	for _, tt := range []struct {
		path          string
		want          place.Place
		deterministic bool
	}{
		{"dlsim", "", false},
		{"dlsim/system", "system", true},
		{"dlsim/system/lock", "system/lock", true},
		{"dlsim/system/lock [dlsim/system/lock.test]", "system/lock", true},
		{"dlsim/systems", "systems", false},
		{"dlsim/sim", "sim", false},
		{"dlsim/sim/truth", "sim/truth", false},
		{"dlsim/sim/virtual/postgres", "sim/virtual/postgres", true},
		{"dlsimulation/system", place.Outside, false},
		{"github.com/jackc/pgx/v5", place.Outside, false},
		{"system", place.Outside, false},
	} {
		got := place.OfPath(tt.path)
		if got != tt.want || got.Deterministic() != tt.deterministic {
			t.Errorf("OfPath(%q) = %q, deterministic %v; want %q, %v", tt.path, got, got.Deterministic(), tt.want, tt.deterministic)
		}
	}
}
