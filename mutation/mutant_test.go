package mutation

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestWrapsNest(t *testing.T) {
	src := "if a < b { f() }"
	for _, c := range []struct {
		what  string
		wraps []wrap
		want  string
	}{
		{"none", nil, src},
		{"the inner one named first", []wrap{{3, 4, "<", ">"}, {3, 8, "[", "]"}}, "if [<a> < b] { f() }"},
		{"two of one piece: the earlier outside", []wrap{{3, 8, "(", ")"}, {3, 8, "[", "]"}}, "if ([a < b]) { f() }"},
		{"side by side", []wrap{{7, 8, "[", "]"}, {3, 4, "(", ")"}}, "if (a) < [b] { f() }"},
		{"ending together", []wrap{{7, 8, "(", ")"}, {3, 8, "[", "]"}}, "if [a < (b)] { f() }"},
		{"inserted", []wrap{{2, 2, "", "!"}, {3, 4, "(", ")"}}, "if! (a) < b { f() }"},
	} {
		if got := string(rewrite([]byte(src), c.wraps)); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}

func TestBugsOfAStatement(t *testing.T) {
	for _, c := range []struct {
		sql  string
		want []string
	}{
		{"`UPDATE t SET a = 1 WHERE id = $1`", nil},
		{"`UPDATE t SET a = 1 WHERE id = $1 AND f < $2`", []string{
			"`UPDATE t SET a = 1 WHERE id = $1 AND f <= $2`",
			"`UPDATE t SET a = 1 WHERE (id = $1 OR 1 = 1) AND f < $2`",
			"`UPDATE t SET a = 1 WHERE id = $1 AND (f < $2 OR 1 = 1)`",
		}},
		{"`SELECT a FROM t WHERE id = $1 AND s IN ('A', 'B') FOR UPDATE`", []string{
			"`SELECT a FROM t WHERE id = $1 AND s IN ('A', 'B')`",
			"`SELECT a FROM t WHERE id = $1 AND s IN ('B') FOR UPDATE`",
			"`SELECT a FROM t WHERE id = $1 AND s IN ('A') FOR UPDATE`",
			"`SELECT a FROM t WHERE (id = $1 OR 1 = 1) AND s IN ('A', 'B') FOR UPDATE`",
			"`SELECT a FROM t WHERE id = $1 AND (s IN ('A', 'B') OR 1 = 1) FOR UPDATE`",
		}},
		{"`SELECT a FROM t WHERE x = '' OR (y = 1 AND z = 2)\nORDER BY a`", []string{
			"`SELECT a FROM t WHERE (x = '' OR 1 = 1) OR (y = 1 AND z = 2)\nORDER BY a`",
			"`SELECT a FROM t WHERE x = '' OR ((y = 1 AND z = 2) OR 1 = 1)\nORDER BY a`",
		}},
	} {
		if got := statementsLike(c.sql); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.sql, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

func TestPlantedPackagesBuild(t *testing.T) {
	planted, err := Plant("..", t.TempDir(), []string{"./system/dberr", "./system/paydb"}, regexp.MustCompile(`Rollback`))
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]int{}
	for n, m := range planted.Mutants {
		if m.ID != n+1 {
			t.Fatalf("mutant %d has number %d", n+1, m.ID)
		}
		have[m.Operator]++
		if m.Operator == "left out" && strings.Contains(m.From, "Rollback") {
			t.Error("planted although it was to be skipped:", m)
		}
	}
	for _, operator := range []string{"comparison", "negated", "case dropped", "returned", "error swallowed", "outcome", "statement"} {
		if have[operator] == 0 {
			t.Errorf("no mutant is of the kind %q: %v", operator, have)
		}
	}
	build := exec.Command("go", "build", "-overlay", planted.Overlay, "./system/dberr", "./system/paydb")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestASampleIsSpreadEvenly(t *testing.T) {
	all := make([]Mutant, 10)
	for i := range all {
		all[i].ID = i + 1
	}
	for most, want := range map[int][]int{3: {1, 4, 7}, 10: {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 99: {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 1: {1}} {
		var got []int
		for _, m := range Sample(all, most) {
			got = append(got, m.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d of 10: %v, want %v", most, got, want)
		}
	}
}
