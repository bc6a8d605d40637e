package results

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func packed(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.Bytes()
}

func TestTheFirstStepThatDiffersIsNamed(t *testing.T) {
	for _, c := range []struct {
		name, stored, again string
		want                Difference
	}{
		{"the same", "a\nb\n", "a\nb\n", Difference{}},
		{"both empty", "", "", Difference{}},
		{"another step", "a\nb\nc\n", "a\nx\ny\n", Difference{2, "b", "x"}},
		{"it ends early", "a\nb\n", "a\n", Difference{2, "b", ""}},
		{"it goes on", "a\n", "a\nb\nc\n", Difference{2, "", "b"}},
		{"its last line is cut", "a\nbc\n", "a\nb", Difference{2, "bc", "b"}},
	} {
		compare, err := NewComparer(bytes.NewReader(packed(c.stored)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(compare, iotest.OneByteReader(strings.NewReader(c.again))); err != nil {
			t.Fatal(err)
		}
		got, err := compare.Result()
		if err != nil {
			t.Fatal(err)
		}
		if got == nil {
			got = &Difference{}
		}
		if *got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, *got, c.want)
		}
	}
}

func TestADamagedTraceIsAnError(t *testing.T) {
	if _, err := NewComparer(strings.NewReader("a\nb\n")); err == nil {
		t.Error("plain text passed for a stored trace")
	}
	whole := packed(strings.Repeat("steps and steps\n", 1000))
	compare, err := NewComparer(bytes.NewReader(whole[:len(whole)-12]))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = compare.Write([]byte(strings.Repeat("steps and steps\n", 1000)))
	if d, err := compare.Result(); err == nil {
		t.Errorf("a trace that was cut short compares as %v", d)
	}
}
