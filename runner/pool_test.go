package runner

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestResultsComeInOrderWhoeverIsFirst(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		var got []uint64
		err := inOrder(t.Context(), 100, workers, func() (func(uint64) (uint64, error), func()) {
			return func(k uint64) (uint64, error) {
				time.Sleep(time.Duration(rand.IntN(300)) * time.Microsecond)
				return k * 2, nil
			}, func() {}
		}, func(k, r uint64) {
			if r != k*2 {
				t.Errorf("result %d came as %d", k, r)
			}
			got = append(got, k)
		})
		if err != nil || len(got) != 100 || !slices.IsSorted(got) {
			t.Errorf("%d workers: %v %v", workers, err, got)
		}
	}
}

func TestAnInterruptedSweepKeepsAPrefix(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var got []uint64
	err := inOrder(ctx, 1_000_000, 3, func() (func(uint64) (int, error), func()) {
		return func(k uint64) (int, error) {
			if k == 50 {
				cancel()
			}
			return 0, nil
		}, func() {}
	}, func(k uint64, _ int) { got = append(got, k) })
	if err != nil || len(got) < 51 || len(got) > 60 || !slices.IsSorted(got) || got[len(got)-1] != uint64(len(got)-1) {
		t.Errorf("%v %v", err, got)
	}
}

func TestTheFirstErrorInOrderIsTheOneTold(t *testing.T) {
	bad := errors.New("bad")
	collected := 0
	err := inOrder(t.Context(), 1000, 4, func() (func(uint64) (int, error), func()) {
		return func(k uint64) (int, error) {
			if k == 20 {
				time.Sleep(20 * time.Millisecond)
			}
			if k >= 20 {
				return 0, fmt.Errorf("%d: %w", k, bad)
			}
			return 0, nil
		}, func() {}
	}, func(uint64, int) { collected++ })
	if !errors.Is(err, bad) || err.Error() != "20: bad" || collected != 20 {
		t.Errorf("%v after %d", err, collected)
	}
}
