package order

import (
	"maps"
	"slices"
	"sort"
	"strings"
)

type entry struct {
	busy bool
	n    int
	name string
}

type byName []string

func (b byName) Len() int           { return len(b) }
func (b byName) Less(i, j int) bool { return b[i] < b[j] }
func (b byName) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

type table struct {
	rows map[string]entry
	keys []string
}

func visit(string) {}

func accepted(m map[string]entry, t *table) {
	n := 0
	for range m {
		n++
	}
	for _, _ = range m {
		visit("x")
	}

	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)

	t.keys = t.keys[:0]
	for k, e := range t.rows {
		if e.busy || strings.HasPrefix(k, "x") {
			continue
		}
		t.keys = append(t.keys, k)
	}
	slices.Sort(t.keys)

	for k := range m {
		keys = append(keys, string(k))
	}
	sort.Sort(byName(keys))

	switch n {
	case 1:
		for k := range m {
			keys = append(keys, k)
		}
		slices.SortFunc(keys, strings.Compare)
	}

	for k := range m {
		delete(m, k)
	}
	for k, e := range t.rows {
		if e.n > 3 {
			delete(t.rows, k)
		}
	}

	total := 0
	others := map[string]int{}
	for k, e := range m {
		if !e.busy {
			total += e.n
		} else {
			others[k] = e.n * 2
		}
	}

	//dlsim:unordered visit keeps nothing
	for k := range m {
		visit(k)
	}
	for k := range m { //dlsim:unordered visit keeps nothing
		visit(k)
	}

	_ = slices.Sorted(maps.Keys(m))
	_ = slices.SortedFunc(maps.Keys(m), strings.Compare)
	_ = maps.Collect(maps.All(m))
	for i := range keys {
		visit(keys[i])
	}
}

func anyBusy(m map[string]entry) bool {
	for _, e := range m {
		if e.busy {
			return true
		}
	}
	return false
}

func rejected(m map[string]entry, t *table) {
	for k := range m { // want `range over a map is not allowed here: its order differs from run to run`
		visit(k)
	}

	var keys []string
	for k := range m { // want `range over a map is not allowed here`
		keys = append(keys, k)
	}
	visit("something between")
	sort.Strings(keys)

	for k := range m { // want `range over a map is not allowed here`
		keys = append(keys, k)
	}
	sort.Strings(t.keys)

	var entries []entry
	for _, e := range m { // want `range over a map is not allowed here`
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b entry) int { return a.n - b.n })

	for k := range m { // want `range over a map is not allowed here`
		if len(m) > 1 {
			delete(m, k)
		}
	}
	for k := range m { // want `range over a map is not allowed here`
		delete(t.rows, k)
	}
	for k := range m { // want `range over a map is not allowed here`
		delete(m, k+"x")
	}

	n := 0
	for k := range m { // want `range over a map is not allowed here`
		if n < 3 {
			delete(m, k)
			n++
		}
	}
	for k := range m { // want `range over a map is not allowed here`
		n++
		delete(m, k)
		break
	}

	var last string
	for k := range m { // want `range over a map is not allowed here`
		last = k
	}
	for last = range m { // want `range over a map is not allowed here`
	}
	visit(last)

	text := ""
	for k := range m { // want `range over a map is not allowed here`
		text += k
	}

	byCount := map[int]string{}
	for k, e := range m { // want `range over a map is not allowed here`
		byCount[e.n] = k
	}

	//dlsim:unordered
	for k := range m { // want `range over a map is not allowed here`
		visit(k)
	}

	//dlsim:unordered the loop has gone // want `dlsim:unordered excuses nothing here`
	visit(text)

	for k := range maps.Keys(m) { // want `maps\.Keys is not allowed here: its order differs from run to run; give it to slices\.Sorted`
		visit(k)
	}
	_ = slices.Collect(maps.Values(m)) // want `maps\.Values is not allowed here`
	all := maps.All(m)                 // want `maps\.All is not allowed here`
	all(func(k string, _ entry) bool { visit(k); return true })
}

func first(m map[string]entry) string {
	for k, e := range m { // want `range over a map is not allowed here`
		if e.busy {
			return k
		}
	}
	return ""
}

func either(m map[string]entry) int {
	for _, e := range m { // want `range over a map is not allowed here`
		if e.busy {
			return 1
		}
		if e.n > 0 {
			return 2
		}
	}
	return 0
}

func counted(m map[string]entry, seen map[string]bool) bool {
	for k, e := range m { // want `range over a map is not allowed here`
		seen[k] = true
		if e.busy {
			return true
		}
	}
	return false
}

func generic[M ~map[K]V, K comparable, V any](m M, f func(K)) {
	for k := range m { // want `range over a map is not allowed here`
		f(k)
	}
}
