package history

import (
	"reflect"
	"testing"
)

// sample has every field set to a value of its own.
func sample() Event {
	return Event{
		ID: 1, Time: 2, Process: "executor-1", Kind: OK, Op: LockGranted, Truth: true, Call: 1,
		Account: "account-12345", Payout: "p", Owner: "o", Token: 3, PriorToken: 4, Amount: 5, PriorMoney: 6,
		State: "s", PriorState: "t", Reference: "r", Request: "q", Clock: 7, Expires: 8, Tx: 9, Error: "e", Note: "n",
	}
}

func TestEveryFieldChangesTheHash(t *testing.T) {
	base := sample()
	want := Hash([]Event{base})
	v := reflect.TypeOf(base)
	for i := 0; i < v.NumField(); i++ {
		for _, zero := range []bool{false, true} {
			e := base
			f := reflect.ValueOf(&e).Elem().Field(i)
			switch {
			case zero:
				f.SetZero()
			case f.Kind() == reflect.String:
				f.SetString(f.String() + "x")
			case f.Kind() == reflect.Int64:
				f.SetInt(f.Int() ^ 1<<40)
			case f.Kind() == reflect.Uint8:
				f.SetUint(f.Uint() + 1)
			case f.Kind() == reflect.Bool:
				f.SetBool(!f.Bool())
			default:
				t.Fatalf("field %s has a kind this test does not know", v.Field(i).Name)
			}
			if Hash([]Event{e}) == want {
				t.Errorf("changing %s (to zero: %v) leaves the hash", v.Field(i).Name, zero)
			}
		}
	}
}

func TestHashTellsOrderCountAndFieldBoundariesApart(t *testing.T) {
	a, b := sample(), sample()
	b.ID = 2
	swapped := sample()
	swapped.Payout, swapped.Owner = swapped.Owner, swapped.Payout
	seen := map[uint64]string{}
	for name, h := range map[string][]Event{
		"empty": nil, "one": {a}, "two": {a, b}, "reversed": {b, a}, "twice": {a, a},
		"fields swapped":  {swapped},
		"split one way":   {{Account: "ab", Payout: "c"}},
		"split other way": {{Account: "a", Payout: "bc"}},
		"zero event":      {{}}, "two zero events": {{}, {}},
	} {
		sum := Hash(h)
		if other, dup := seen[sum]; dup {
			t.Errorf("%q and %q hash alike", name, other)
		}
		seen[sum] = name
	}
}

// The constant is the promise that a stored hash means the same on every machine and in every build.
func TestHashIsTheSameEverywhere(t *testing.T) {
	if got, want := Hash([]Event{sample(), {ID: 2, Process: "world", Op: WorldEnded, Kind: Info}}), uint64(0x807bdebc02883dc7); got != want {
		t.Errorf("hash %#x, want %#x", got, want)
	}
}

func TestHashingDoesNotAllocate(t *testing.T) {
	events := []Event{sample(), sample()}
	if n := testing.AllocsPerRun(100, func() { Hash(events) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkHash600Events(b *testing.B) {
	events := make([]Event, 600)
	for i := range events {
		events[i] = Event{ID: int64(i + 1), Time: int64(i) * 1e6, Process: "executor-1", Kind: OK, Op: PayoutSubmit,
			Call: int64(i), Account: "account-1", Payout: "payout-7", Token: 12, Amount: 1000, State: "ACCEPTED"}
	}
	b.ReportAllocs()
	for b.Loop() {
		Hash(events)
	}
}
