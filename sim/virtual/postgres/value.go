package postgres

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// compareValues orders two values of one kind, neither NULL.
func compareValues(a, b any) int {
	switch a := a.(type) {
	case int64:
		return compareInt(a, b.(int64))
	case string:
		return strings.Compare(a, b.(string))
	case int32:
		return compareInt(int64(a), int64(b.(int32)))
	case bool:
		b := b.(bool)
		switch {
		case a == b:
			return 0
		case b:
			return -1
		}
		return 1
	case time.Time:
		return a.Compare(b.(time.Time))
	case pgtype.Interval:
		return compareInterval(a, b.(pgtype.Interval))
	case pgtype.Numeric:
		return compareNumeric(a, b.(pgtype.Numeric))
	}
	panic(fmt.Sprintf("postgres: no order for %T", a))
}

// sameValue says whether two values, NULL included, are the same.
func sameValue(a, b any) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return compareValues(a, b) == 0
}

func timeOf(ns int64) time.Time { return time.UnixMicro(floorDiv(ns, 1000)).UTC() }

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// castValue converts v, which is not NULL, between kinds for which castable says yes.
func castValue(v any, from, to kind) (any, error) {
	if from == to {
		return v, nil
	}
	if to == kindText {
		return formatValue(v), nil
	}
	if from == kindText || from == kindUnknown {
		return parseText(v.(string), to)
	}
	switch v := v.(type) {
	case int64:
		switch to {
		case kindInt4:
			if int64(int32(v)) != v {
				return nil, errOutOfRange(kindInt4)
			}
			return int32(v), nil
		case kindNumeric:
			return numericOf(v), nil
		case kindFloat8:
			return v, nil
		}
	case int32:
		switch to {
		case kindInt8, kindFloat8:
			return int64(v), nil
		case kindNumeric:
			return numericOf(int64(v)), nil
		case kindBool:
			return v != 0, nil
		}
	case bool:
		if to == kindInt4 {
			if v {
				return int32(1), nil
			}
			return int32(0), nil
		}
	case pgtype.Numeric:
		n, ok := numericToInt(v)
		switch {
		case to == kindInt8 && ok:
			return n, nil
		case to == kindInt4 && ok && int64(int32(n)) == n:
			return int32(n), nil
		case to == kindFloat8 && ok && compareNumeric(v, numericOf(n)) == 0:
			return n, nil
		case to == kindFloat8:
			return nil, &UnsupportedError{Construct: "fraction as double precision"}
		}
		return nil, errOutOfRange(to)
	}
	return nil, &UnsupportedError{Construct: "cast of " + from.String() + " to " + to.String()}
}

// castable says whether SQL may write e::to for an e of kind from.
func castable(from, to kind) bool {
	switch {
	case from == to, from == kindUnknown, from == kindText, to == kindText:
		return true
	case from.number() && (to.number() || to == kindFloat8):
		return true
	case from == kindInt4 && to == kindBool, from == kindBool && to == kindInt4:
		return true
	}
	return false
}

// formatValue writes a value as PostgreSQL's text output does.
func formatValue(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case int64:
		return strconv.FormatInt(v, 10)
	case int32:
		return strconv.FormatInt(int64(v), 10)
	case bool:
		return strconv.FormatBool(v)
	case time.Time:
		return strings.TrimSuffix(strings.TrimRight(v.Format("2006-01-02 15:04:05.000000"), "0"), ".") + "+00"
	case pgtype.Interval:
		return formatInterval(v)
	case pgtype.Numeric:
		return formatNumeric(v)
	}
	panic(fmt.Sprintf("postgres: no text for %T", v))
}

var boolWords = map[string]bool{
	"t": true, "true": true, "y": true, "yes": true, "on": true, "1": true,
	"f": false, "false": false, "n": false, "no": false, "off": false, "0": false,
}

var timeLayouts = []string{
	"2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999Z07", "2006-01-02T15:04:05.999999999Z07:00",
	"2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04Z07:00", "2006-01-02 15:04Z07", "2006-01-02 15:04", "2006-01-02Z07", "2006-01-02",
}

// parseText reads a value's text form.
func parseText(s string, k kind) (any, error) {
	trimmed := strings.TrimSpace(s)
	invalid := func(code string) error {
		return pgErrorf(code, "invalid input syntax for type %s: \"%s\"", k, s)
	}
	switch k {
	case kindText, kindUnknown:
		return s, nil
	case kindInt8, kindInt4:
		n, err := strconv.ParseInt(trimmed, 10, 64)
		if err != nil && isRange(err) || err == nil && k == kindInt4 && (n < math.MinInt32 || n > math.MaxInt32) {
			return nil, pgErrorf("22003", "value \"%s\" is out of range for type %s", s, k)
		}
		if err != nil {
			return nil, invalid("22P02")
		}
		if k == kindInt4 {
			return int32(n), nil
		}
		return n, nil
	case kindFloat8:
		n, err := strconv.ParseInt(trimmed, 10, 64)
		if err != nil {
			return nil, &UnsupportedError{Construct: "double precision " + s}
		}
		return n, nil
	case kindBool:
		b, ok := boolWords[strings.ToLower(trimmed)]
		if !ok {
			return nil, invalid("22P02")
		}
		return b, nil
	case kindNumeric:
		n, ok := parseNumeric(trimmed)
		if !ok {
			return nil, invalid("22P02")
		}
		return n, nil
	case kindInterval:
		return parseInterval(trimmed)
	case kindTimestamptz:
		for _, layout := range timeLayouts {
			if t, err := time.Parse(layout, trimmed); err == nil {
				return t.Round(time.Microsecond).UTC(), nil
			}
		}
		return nil, invalid("22007")
	case kindTextArray, kindInt8Array, kindInt4Array:
		return parseArray(trimmed, k)
	}
	return nil, &UnsupportedError{Construct: "text as " + k.String()}
}

func isRange(err error) bool {
	e, ok := err.(*strconv.NumError)
	return ok && e.Err == strconv.ErrRange
}

// parseArray reads '{a,b}' without quotes; an array is held as []any.
func parseArray(s string, k kind) (any, error) {
	if !strings.HasPrefix(s, "{") || !strings.HasSuffix(s, "}") {
		return nil, pgErrorf("22P02", "malformed array literal: \"%s\"", s)
	}
	if strings.ContainsAny(s, "\"\\") || strings.ContainsAny(s[1:len(s)-1], "{}") {
		return nil, &UnsupportedError{Construct: "array literal " + s}
	}
	out := []any{}
	if s == "{}" {
		return out, nil
	}
	for _, part := range strings.Split(s[1:len(s)-1], ",") {
		if part = strings.TrimSpace(part); strings.EqualFold(part, "null") {
			out = append(out, nil)
			continue
		}
		v, err := parseText(part, k.element())
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// encodeArg turns what a caller gave to pgx into a value of kind k. NULL is nil.
func encodeArg(i int, arg any, k kind) (any, error) {
	switch v := arg.(type) {
	case nil:
		return nil, nil
	case string:
		switch {
		case k == kindText:
			return arg, nil
		case k == kindBool || k.number() || k == kindTimestamptz || k == kindInterval || k.element() != kindUnknown:
			return parseText(v, k)
		}
	case int64:
		switch k {
		case kindInt8, kindFloat8:
			return arg, nil
		case kindInt4:
			if int64(int32(v)) == v {
				return int32(v), nil
			}
			return nil, argumentError(i, arg, k, fmt.Sprintf("%d is greater than maximum value for int4", v))
		case kindNumeric:
			return numericOf(v), nil
		}
	case int:
		return encodeArg(i, int64(v), k)
	case int32:
		return encodeArg(i, int64(v), k)
	case bool:
		if k == kindBool {
			return arg, nil
		}
	case time.Time:
		if k == kindTimestamptz {
			return time.UnixMicro(floorDiv(v.UnixNano(), 1000)).UTC(), nil
		}
	case time.Duration:
		switch k {
		case kindInterval:
			return intervalOf(int64(v / time.Microsecond)), nil
		case kindInt8, kindInt4, kindFloat8:
			return encodeArg(i, int64(v), k)
		}
	case pgtype.Interval:
		if k == kindInterval {
			return arg, nil
		}
	case *string:
		if v == nil {
			return nil, nil
		}
		return encodeArg(i, *v, k)
	case *int64:
		if v == nil {
			return nil, nil
		}
		return encodeArg(i, *v, k)
	case *time.Time:
		if v == nil {
			return nil, nil
		}
		return encodeArg(i, *v, k)
	case []string:
		return encodeList(i, v, k)
	case []int64:
		return encodeList(i, v, k)
	case []int32:
		return encodeList(i, v, k)
	case fmt.Stringer:
		if k == kindText {
			return v.String(), nil
		}
	}
	return nil, argumentError(i, arg, k, "cannot find encode plan")
}

func encodeList[T any](i int, list []T, k kind) (any, error) {
	if list == nil {
		return nil, nil
	}
	if k.element() == kindUnknown {
		return nil, argumentError(i, list, k, "cannot find encode plan")
	}
	out := make([]any, len(list))
	for n, e := range list {
		v, err := encodeArg(i, e, k.element())
		if err != nil {
			return nil, err
		}
		out[n] = v
	}
	return out, nil
}

func argumentError(i int, arg any, k kind, why string) error {
	return &ArgumentError{Message: fmt.Sprintf("failed to encode args[%d]: unable to encode %#v into binary format for %s (OID %d): %s",
		i, arg, k.short(), k.oid(), why)}
}
