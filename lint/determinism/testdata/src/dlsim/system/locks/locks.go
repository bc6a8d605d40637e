package locks

import (
	"sync"
	"sync/atomic"
)

type state struct {
	mu   sync.Mutex     // want `sync\.Mutex is not allowed here: use the host's NewMutex`
	rw   sync.RWMutex   // want `sync\.RWMutex is not allowed here`
	wg   sync.WaitGroup // want `sync\.WaitGroup is not allowed here`
	cond *sync.Cond     // want `sync\.Cond is not allowed here`
	once sync.Once      // want `sync\.Once is not allowed here`
	pool sync.Pool      // want `sync\.Pool is not allowed here`
	all  sync.Map       // want `sync\.Map is not allowed here`
	n    atomic.Int64   // want `sync/atomic\.Int64 is not allowed here`
	host sync.Locker    // the interface alone locks nothing
}

var lazy = sync.OnceValue(func() int { return 1 }) // want `sync\.OnceValue is not allowed here`

func add(p *int64) { atomic.AddInt64(p, 1) } // want `sync/atomic\.AddInt64 is not allowed here`

func guarded(l interface{ Lock() }) { l.Lock() }
