package postgres

import (
	"fmt"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

const (
	microsPerSecond = int64(1_000_000)
	microsPerDay    = 24 * 3600 * microsPerSecond
)

func intervalOf(micros int64) pgtype.Interval {
	return pgtype.Interval{Microseconds: micros, Valid: true}
}

// span is an interval's length for comparison: a month has 30 days and a day 24 hours.
func span(v pgtype.Interval) (days, micros int64) {
	days = int64(v.Months)*30 + int64(v.Days) + v.Microseconds/microsPerDay
	micros = v.Microseconds % microsPerDay
	if micros < 0 {
		days, micros = days-1, micros+microsPerDay
	}
	return days, micros
}

func compareInterval(a, b pgtype.Interval) int {
	ad, am := span(a)
	bd, bm := span(b)
	if c := compareInt(ad, bd); c != 0 {
		return c
	}
	return compareInt(am, bm)
}

func addInterval(a, b pgtype.Interval, sign int64) (pgtype.Interval, error) {
	months := int64(a.Months) + sign*int64(b.Months)
	days := int64(a.Days) + sign*int64(b.Days)
	micros, ok := addInt(a.Microseconds, sign*b.Microseconds)
	if !ok || int64(int32(months)) != months || int64(int32(days)) != days {
		return a, pgError("22008", "interval out of range")
	}
	return pgtype.Interval{Months: int32(months), Days: int32(days), Microseconds: micros, Valid: true}, nil
}

// scaleInterval multiplies by a whole number.
func scaleInterval(v pgtype.Interval, n int64) (pgtype.Interval, error) {
	months, ok1 := mulInt(int64(v.Months), n)
	days, ok2 := mulInt(int64(v.Days), n)
	micros, ok3 := mulInt(v.Microseconds, n)
	if !ok1 || !ok2 || !ok3 || int64(int32(months)) != months || int64(int32(days)) != days {
		return v, pgError("22008", "interval out of range")
	}
	return pgtype.Interval{Months: int32(months), Days: int32(days), Microseconds: micros, Valid: true}, nil
}

// addToTime moves t by v: first the months (the day clamped to the month's length), then the
// days, then the time.
func addToTime(t time.Time, v pgtype.Interval, sign int64) time.Time {
	if v.Months != 0 {
		y, m, d := t.Date()
		first := time.Date(y, m+time.Month(sign*int64(v.Months)), 1, 0, 0, 0, 0, time.UTC)
		if last := first.AddDate(0, 1, -1).Day(); d > last {
			d = last
		}
		t = time.Date(first.Year(), first.Month(), d, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
	}
	if v.Days != 0 {
		t = t.AddDate(0, 0, int(sign*int64(v.Days)))
	}
	micros := sign * v.Microseconds
	return t.Add(time.Duration(micros%microsPerDay)*time.Microsecond).AddDate(0, 0, int(micros/microsPerDay))
}

// subtractTimes is a - b in days and time.
func subtractTimes(a, b time.Time) pgtype.Interval {
	micros := a.UnixMicro() - b.UnixMicro()
	return pgtype.Interval{Days: int32(micros / microsPerDay), Microseconds: micros % microsPerDay, Valid: true}
}

// epochOfInterval is the interval in microseconds: a year has 365.25 days, a month 30.
func epochOfInterval(v pgtype.Interval) *big.Int {
	years, months := int64(v.Months/12), int64(v.Months%12)
	total := big.NewInt(years*(36525*microsPerDay/100) + (months*30+int64(v.Days))*microsPerDay)
	return total.Add(total, big.NewInt(v.Microseconds))
}

var intervalUnits = map[string]pgtype.Interval{
	"microsecond": {Microseconds: 1}, "us": {Microseconds: 1},
	"millisecond": {Microseconds: 1000}, "ms": {Microseconds: 1000},
	"second": {Microseconds: microsPerSecond}, "sec": {Microseconds: microsPerSecond}, "s": {Microseconds: microsPerSecond},
	"minute": {Microseconds: 60 * microsPerSecond}, "min": {Microseconds: 60 * microsPerSecond}, "m": {Microseconds: 60 * microsPerSecond},
	"hour": {Microseconds: 3600 * microsPerSecond}, "h": {Microseconds: 3600 * microsPerSecond},
	"day": {Days: 1}, "d": {Days: 1}, "week": {Days: 7}, "month": {Months: 1}, "mon": {Months: 1}, "year": {Months: 12},
}

// parseInterval reads "n unit n unit …", a plain number of seconds, or a clock "hh:mm:ss".
func parseInterval(s string) (pgtype.Interval, error) {
	bad := pgErrorf("22007", "invalid input syntax for type interval: \"%s\"", s)
	words := strings.Fields(s)
	total := intervalOf(0)
	if len(words) == 0 {
		return total, bad
	}
	for i := 0; i < len(words); i++ {
		word, unit := words[i], ""
		if strings.Contains(word, ":") {
			clock, ok := parseClock(word)
			if !ok {
				return total, bad
			}
			total.Microseconds += clock
			continue
		}
		n := strings.IndexFunc(word, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
		switch {
		case n > 0:
			word, unit = word[:n], word[n:]
		case i+1 < len(words):
			i++
			unit = words[i]
		default:
			unit = "second"
		}
		unit = strings.ToLower(unit)
		u, ok := intervalUnits[unit]
		if !ok {
			u, ok = intervalUnits[strings.TrimSuffix(unit, "s")]
		}
		value, okNumber := parseNumeric(strings.TrimPrefix(word, "+"))
		if !ok || !okNumber {
			return total, bad
		}
		part, err := scaleUnit(u, value)
		if err != nil {
			return total, err
		}
		if total, err = addInterval(total, part, 1); err != nil {
			return total, err
		}
	}
	return total, nil
}

// scaleUnit multiplies a unit by a decimal; fractions of a month are refused.
func scaleUnit(u pgtype.Interval, n pgtype.Numeric) (pgtype.Interval, error) {
	if whole, ok := numericToInt(n); ok && compareNumeric(n, numericOf(whole)) == 0 {
		return scaleInterval(u, whole)
	}
	if u.Months != 0 {
		return u, &UnsupportedError{Construct: "fraction of a month in an interval"}
	}
	micros := u.Microseconds + int64(u.Days)*microsPerDay
	whole, _ := numericToInt(pgtype.Numeric{Int: new(big.Int).Mul(n.Int, big.NewInt(micros)), Exp: n.Exp, Valid: true})
	return pgtype.Interval{Microseconds: whole, Valid: true}, nil
}

func parseClock(s string) (int64, bool) {
	neg := strings.HasPrefix(s, "-")
	parts := strings.Split(strings.TrimPrefix(s, "-"), ":")
	if len(parts) > 3 {
		return 0, false
	}
	unit, total := 3600*microsPerSecond, int64(0)
	for i, part := range parts {
		n, ok := parseNumeric(part)
		if !ok || n.Exp != 0 && i != 2 {
			return 0, false
		}
		v, _ := numericToInt(pgtype.Numeric{Int: new(big.Int).Mul(n.Int, big.NewInt(unit)), Exp: n.Exp, Valid: true})
		total += v
		unit /= 60
	}
	if neg {
		total = -total
	}
	return total, true
}

// formatInterval writes the style "postgres".
func formatInterval(v pgtype.Interval) string {
	var parts []string
	negative := false
	add := func(n int64, unit string) {
		if n == 0 {
			return
		}
		sign := ""
		if negative && n > 0 {
			sign = "+"
		}
		if n != 1 {
			unit += "s"
		}
		parts = append(parts, sign+strconv.FormatInt(n, 10)+" "+unit)
		negative = n < 0
	}
	add(int64(v.Months/12), "year")
	add(int64(v.Months%12), "mon")
	add(int64(v.Days), "day")
	if v.Microseconds != 0 || len(parts) == 0 {
		sign, us := "", v.Microseconds
		if us < 0 {
			sign, us = "-", -us
		} else if negative {
			sign = "+"
		}
		sec := us / microsPerSecond
		clock := fmt.Sprintf("%s%02d:%02d:%02d", sign, sec/3600, sec/60%60, sec%60)
		if frac := us % microsPerSecond; frac != 0 {
			clock += strings.TrimRight(fmt.Sprintf(".%06d", frac), "0")
		}
		parts = append(parts, clock)
	}
	return strings.Join(parts, " ")
}

func compareInt(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func addInt(a, b int64) (int64, bool) {
	c := a + b
	return c, (c > a) == (b > 0)
}

func subInt(a, b int64) (int64, bool) {
	c := a - b
	return c, (c < a) == (b > 0)
}

func mulInt(a, b int64) (int64, bool) {
	abs := func(n int64) uint64 {
		if n < 0 {
			return -uint64(n)
		}
		return uint64(n)
	}
	hi, lo := bits.Mul64(abs(a), abs(b))
	if hi != 0 {
		return 0, false
	}
	if (a < 0) != (b < 0) {
		return -int64(lo), lo <= 1<<63
	}
	return int64(lo), lo < 1<<63
}
