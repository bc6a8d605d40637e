package nemesis

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
)

// Rate is a decimal number in thousandths. Rates are not floats because plans must come out the
// same on every processor.
type Rate int64

// Whole is the rate 1.
const Whole Rate = 1000

// ParseRate reads a decimal such as 2 or 0.25, to three places.
func ParseRate(text string) (Rate, error) {
	whole, part, dotted := strings.Cut(strings.TrimSpace(text), ".")
	if whole == "" || dotted && (part == "" || len(part) > 3) {
		return 0, fmt.Errorf("%q is no rate: want a number of at most three decimal places", text)
	}
	n, err := strconv.ParseUint(whole+(part + "000")[:3], 10, 40)
	if err != nil {
		return 0, fmt.Errorf("%q is no rate: want a number of at most three decimal places, not negative", text)
	}
	return Rate(n), nil
}

// String writes the rate as ParseRate reads it.
func (r Rate) String() string {
	whole, part := r/Whole, r%Whole
	if part == 0 {
		return strconv.FormatInt(int64(whole), 10)
	}
	return strings.TrimRight(fmt.Sprintf("%d.%03d", whole, part), "0")
}

// MarshalYAML writes the number.
func (r Rate) MarshalYAML() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalYAML reads the number.
func (r *Rate) UnmarshalYAML(text []byte) (err error) {
	*r, err = ParseRate(string(text))
	return err
}

// Share is how often one kind of fault is drawn, and at what.
type Share struct {
	// Rate is the expected number in a run, over all seeds.
	Rate Rate `yaml:"rate" json:"rate"`
	// Targets limits where it strikes: processes, stores or roles. Empty takes the kind's own choice.
	Targets []string `yaml:"targets,omitempty" json:"targets,omitempty"`
}

// MarshalYAML writes a bare number where no targets are named.
func (s Share) MarshalYAML() ([]byte, error) {
	if len(s.Targets) == 0 {
		return s.Rate.MarshalYAML()
	}
	type plainShare Share
	return yaml.MarshalWithOptions(plainShare(s), yaml.Flow(true))
}

// UnmarshalYAML reads a bare number, or a mapping of rate and targets.
func (s *Share) UnmarshalYAML(text []byte) error {
	if rate, err := ParseRate(string(text)); err == nil {
		*s = Share{Rate: rate}
		return nil
	}
	type plainShare Share
	var p plainShare
	if err := yaml.UnmarshalWithOptions(text, &p, yaml.Strict()); err != nil {
		return errors.New("want a rate from 0 of at most three decimal places, or {rate: 0.5, targets: [proxy]}")
	}
	*s = Share(p)
	return nil
}

// Rates asks for random faults.
type Rates struct {
	// Intensity multiplies every rate.
	Intensity Rate
	// OnEvents is the share of the faults that are placed on events rather than at times.
	OnEvents Rate
	// Kinds gives the rates by kind.
	Kinds map[string]Share
}
