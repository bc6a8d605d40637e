package postgres

import (
	"math/big"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"
)

// numeric values are finite pgtype.Numeric with Exp <= 0: Int scaled by 10^Exp, -Exp digits
// shown after the point.

func numericOf(n int64) pgtype.Numeric {
	return pgtype.Numeric{Int: big.NewInt(n), Valid: true}
}

// microsAsSeconds is micros as seconds with six digits, as extract(epoch …) answers.
func microsAsSeconds(micros *big.Int) pgtype.Numeric {
	return pgtype.Numeric{Int: micros, Exp: -6, Valid: true}
}

func parseNumeric(s string) (pgtype.Numeric, bool) {
	digits, exp := s, int32(0)
	if i := strings.IndexByte(s, '.'); i >= 0 {
		digits = s[:i] + s[i+1:]
		exp = -int32(len(s) - i - 1)
	}
	v, ok := new(big.Int).SetString(digits, 10)
	if !ok || strings.ContainsRune(digits, '_') {
		return pgtype.Numeric{}, false
	}
	return pgtype.Numeric{Int: v, Exp: exp, Valid: true}, true
}

func pow10(n int32) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// align returns both at the smaller exponent.
func align(a, b pgtype.Numeric) (*big.Int, *big.Int, int32) {
	x, y, exp := a.Int, b.Int, a.Exp
	if a.Exp > b.Exp {
		x, exp = new(big.Int).Mul(a.Int, pow10(a.Exp-b.Exp)), b.Exp
	} else if b.Exp > a.Exp {
		y = new(big.Int).Mul(b.Int, pow10(b.Exp-a.Exp))
	}
	return x, y, exp
}

func compareNumeric(a, b pgtype.Numeric) int {
	x, y, _ := align(a, b)
	return x.Cmp(y)
}

// numericToInt rounds half away from zero, as PostgreSQL does; false when out of range.
func numericToInt(n pgtype.Numeric) (int64, bool) {
	v := n.Int
	if n.Exp < 0 {
		d := pow10(-n.Exp)
		half := new(big.Int).Quo(d, big.NewInt(2))
		if v.Sign() < 0 {
			half.Neg(half)
		}
		v = new(big.Int).Quo(new(big.Int).Add(v, half), d)
	}
	return v.Int64(), v.IsInt64()
}

func formatNumeric(n pgtype.Numeric) string {
	s := new(big.Int).Abs(n.Int).String()
	if scale := int(-n.Exp); scale > 0 {
		if len(s) <= scale {
			s = strings.Repeat("0", scale-len(s)+1) + s
		}
		s = s[:len(s)-scale] + "." + s[len(s)-scale:]
	}
	if n.Int.Sign() < 0 {
		s = "-" + s
	}
	return s
}
