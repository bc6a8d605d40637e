package which

import (
	"errors"
	"slices"
	"testing"
)

func TestOnlyTheLivingMutantAnswers(t *testing.T) {
	alive = 7
	defer func() { alive = 0 }()
	if Is(6) || !Is(7) || Pick(6, "bug", "good") != "good" || Pick(7, "bug", "good") != "bug" {
		t.Error("the wrong one answers")
	}
	asked := ""
	say := func(who string, answer bool) func() bool { return func() bool { asked += who; return answer } }
	if Bool(6, say("m", true), say("o", false)) || !Bool(7, say("m", true), say("o", false)) || asked != "om" {
		t.Error("asked", asked)
	}
	err := errors.New("x")
	if Swallow(6, err) != err || Swallow(7, err) != nil {
		t.Error("the wrong error is swallowed")
	}
	if !slices.Contains(Reached(), 6) || slices.Contains(Reached(), 8) {
		t.Error("reached", Reached())
	}
}
