package runner

import (
	"slices"
	"strings"
	"testing"
)

func TestShardsShareOutEverySeedOnce(t *testing.T) {
	all, err := ParseSeeds("5..21")
	if err != nil {
		t.Fatal(err)
	}
	var got []uint64
	for _, shard := range []string{"1/4", "2/4", "3/4", "4/4"} {
		s, err := all.Take(shard)
		if err != nil {
			t.Fatal(err)
		}
		for k := range s.Len() {
			got = append(got, s.At(k))
		}
		if s.String() != "5..21" || s.ShardString() != shard {
			t.Errorf("shard %s calls itself %s %s", shard, s, s.ShardString())
		}
	}
	slices.Sort(got)
	for i, seed := range got {
		if seed != 5+uint64(i) {
			t.Fatalf("got %v", got)
		}
	}
	if len(got) != 17 {
		t.Errorf("%d seeds, want 17", len(got))
	}
	one, _ := ParseSeeds("3")
	if empty, _ := one.Take("2/2"); one.Len() != 1 || one.At(0) != 3 || empty.Len() != 0 {
		t.Errorf("one seed: %d, its second half: %d", one.Len(), empty.Len())
	}
}

func TestBadSeedsAndShardsAreOneClearLine(t *testing.T) {
	for _, text := range []string{"", "x", "1..", "..5", "9..1", "-1..4", "1...4", "1.5", "0..18446744073709551615", "1..18446744073709551616"} {
		if s, err := ParseSeeds(text); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q gave %v, %v", text, s, err)
		}
	}
	for _, text := range []string{"0/2", "3/2", "1", "a/b", "1/0", "1/", "/", "1/2/3"} {
		if s, err := (Seeds{From: 1, To: 9}).Take(text); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q gave %v, %v", text, s, err)
		}
	}
}
