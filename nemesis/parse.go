package nemesis

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/goccy/go-yaml"
)

// Parse reads one fault from YAML, such as String writes. An unknown field is an error; whether
// the fault makes sense is Validate's question.
func Parse(text string) (Fault, error) {
	var f Fault
	err := yaml.NewDecoder(bytes.NewReader([]byte(text)), yaml.Strict()).Decode(&f)
	if errors.Is(err, io.EOF) {
		return Fault{}, errors.New("parse fault: no text")
	}
	if err != nil {
		return Fault{}, fmt.Errorf("parse fault: %w", err)
	}
	return f, nil
}
