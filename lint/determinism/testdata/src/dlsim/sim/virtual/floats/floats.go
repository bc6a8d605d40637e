package floats

import (
	"math"
	"time"
)

type rate struct {
	perSecond float64 // want `type float64 is not allowed in the virtual world`
}

const half = 0.5 // want `literal 0\.5 is not allowed in the virtual world`

func floats(r rate, n int64, d time.Duration) {
	_ = float64(n) * 2                   // want `floating-point arithmetic is not allowed`
	_ = float32(n)                       // want `conversion to float32 is not allowed`
	_ = int64(r.perSecond * r.perSecond) // want `floating-point arithmetic is not allowed`
	r.perSecond += r.perSecond           // want `floating-point arithmetic is not allowed`
	r.perSecond++                        // want `floating-point arithmetic is not allowed`
	_ = -r.perSecond                     // want `floating-point arithmetic is not allowed`
	_ = r.perSecond < r.perSecond        // want `floating-point arithmetic is not allowed`
	_ = d.Seconds()                      // want `floating-point result of d\.Seconds is not allowed`
	_ = math.Float64bits(1)              // want `math\.Float64bits is not allowed` `literal 1 is not allowed`
	_ = 1 << 3 * half                    // want `floating-point arithmetic is not allowed`
}

func decoded(v any) {
	switch v.(type) {
	case float64: // want `type float64 is not allowed`
	case int64:
	}
}

// Integers written with an exponent are integers, and math has constants of them.
func integers(n int64) int64 {
	const million int64 = 1e6
	if n > math.MaxInt64/million {
		return int64(time.Duration(n) * 1e9 / time.Second)
	}
	return n * million
}
