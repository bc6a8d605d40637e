package chance

import (
	crand "crypto/rand"
	"hash/maphash"
	"math/rand"
	randv2 "math/rand/v2"
	"reflect"
	"runtime"
)

func chance(b []byte, m map[string]int) {
	_ = rand.Intn(3)                 // want `math/rand\.Intn is not allowed here: draw with the host's Uint64n`
	_ = rand.New(nil)                // want `math/rand\.New is not allowed here`
	_ = randv2.N(3)                  // want `math/rand/v2\.N is not allowed here`
	_, _ = crand.Read(b)             // want `crypto/rand\.Read is not allowed here`
	_ = maphash.MakeSeed()           // want `hash/maphash\.MakeSeed is not allowed here`
	runtime.Goexit()                 // want `runtime\.Goexit is not allowed here: nothing may depend on the collector`
	runtime.SetFinalizer(&b, nil)    // want `runtime\.SetFinalizer is not allowed here`
	runtime.GC()                     // want `runtime\.GC is not allowed here`
	_ = reflect.ValueOf(m).MapKeys() // want `reflect\.Value\.MapKeys is not allowed here`
	_ = reflect.ValueOf(m).Len()
	_ = runtime.GOARCH
}
