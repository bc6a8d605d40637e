package free

import (
	"sync"
	"time"
)

// Outside system and sim/virtual none of the rules apply.
func free(m map[string]int) (keys []string) {
	var mu sync.Mutex
	mu.Lock()
	c := make(chan time.Time, 1)
	go func() { c <- time.Now() }()
	<-c
	for k := range m {
		keys = append(keys, k)
	}
	defer func() { recover() }()
	_ = float64(len(keys)) / 2
	return keys
}
