package results

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitProblem `xml:"failure,omitempty"`
	Error   *junitProblem `xml:"error,omitempty"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes a sweep as JUnit XML: one case for the scenario's expectation, which fails
// when it was not met and is an error when it is inconclusive, and one for each kept violating
// run with its story. A violation is no failure of its own: a scenario may expect it.
func WriteJUnit(w io.Writer, s *Sweep) error {
	verdict := junitCase{Class: Plain(s.Scenario), Name: "expectation over seeds " + Plain(s.Range)}
	suite := junitSuite{Name: "dlsim " + Plain(s.Scenario), Time: fmt.Sprintf("%.3f", s.WallMS/1000)}
	switch s.Expectation {
	case Met:
	case NotMet:
		verdict.Failure, suite.Failures = &junitProblem{Message: Plain(s.Why)}, 1
	default:
		verdict.Error, suite.Errors = &junitProblem{Message: Plain(s.Why)}, 1
	}
	suite.Cases = append(suite.Cases, verdict)
	for _, k := range s.Kept {
		suite.Cases = append(suite.Cases, junitCase{
			Class: Plain(s.Scenario),
			Name:  fmt.Sprintf("seed %d violates %s", k.Seed, strings.Join(k.Violated, ", ")),
			Out:   strings.Join(plainAll(k.Story), "\n"),
		})
	}
	suite.Tests = len(suite.Cases)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(suite); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func plainAll(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = Plain(l)
	}
	return out
}
