package postgres

import "github.com/jackc/pgx/v5/pgtype"

// kind is the type of a value. A value is held as pgx would hand it out: see RowChange.
type kind uint8

const (
	kindUnknown kind = iota // an untyped literal or a parameter whose type is still open
	kindText
	kindInt8
	kindInt4
	kindBool
	kindTimestamptz
	kindInterval
	kindNumeric // pgtype.Numeric, finite only
	kindFloat8  // only as the type of a factor of an interval; must be integral
	kindTextArray
	kindInt8Array
	kindInt4Array
	kindVoid
)

func (k kind) String() string {
	switch k {
	case kindText:
		return "text"
	case kindInt8:
		return "bigint"
	case kindInt4:
		return "integer"
	case kindBool:
		return "boolean"
	case kindTimestamptz:
		return "timestamp with time zone"
	case kindInterval:
		return "interval"
	case kindNumeric:
		return "numeric"
	case kindFloat8:
		return "double precision"
	case kindTextArray:
		return "text[]"
	case kindInt8Array:
		return "bigint[]"
	case kindInt4Array:
		return "integer[]"
	case kindVoid:
		return "void"
	}
	return "unknown"
}

// short is the type's internal name, as pgx prints it.
func (k kind) short() string {
	switch k {
	case kindInt8:
		return "int8"
	case kindInt4:
		return "int4"
	case kindBool:
		return "bool"
	case kindTimestamptz:
		return "timestamptz"
	case kindFloat8:
		return "float8"
	case kindTextArray:
		return "_text"
	case kindInt8Array:
		return "_int8"
	case kindInt4Array:
		return "_int4"
	}
	return k.String()
}

func (k kind) oid() uint32 {
	switch k {
	case kindInt8:
		return pgtype.Int8OID
	case kindInt4:
		return pgtype.Int4OID
	case kindBool:
		return pgtype.BoolOID
	case kindTimestamptz:
		return pgtype.TimestamptzOID
	case kindInterval:
		return pgtype.IntervalOID
	case kindNumeric:
		return pgtype.NumericOID
	case kindFloat8:
		return pgtype.Float8OID
	case kindTextArray:
		return pgtype.TextArrayOID
	case kindInt8Array:
		return pgtype.Int8ArrayOID
	case kindInt4Array:
		return pgtype.Int4ArrayOID
	case kindVoid:
		return 2278
	}
	return pgtype.TextOID
}

func (k kind) size() int16 {
	switch k {
	case kindInt8, kindTimestamptz, kindFloat8:
		return 8
	case kindInt4:
		return 4
	case kindBool:
		return 1
	case kindInterval:
		return 16
	}
	return -1
}

func (k kind) integer() bool { return k == kindInt8 || k == kindInt4 }

func (k kind) number() bool { return k == kindInt8 || k == kindInt4 || k == kindNumeric }

func (k kind) array() kind {
	switch k {
	case kindText:
		return kindTextArray
	case kindInt8:
		return kindInt8Array
	case kindInt4:
		return kindInt4Array
	}
	return kindUnknown
}

func (k kind) element() kind {
	switch k {
	case kindTextArray:
		return kindText
	case kindInt8Array:
		return kindInt8
	case kindInt4Array:
		return kindInt4
	}
	return kindUnknown
}

// kindNames are the type names that SQL may write.
var kindNames = map[string]kind{
	"text": kindText, "varchar": kindText, "bigint": kindInt8, "int8": kindInt8,
	"integer": kindInt4, "int": kindInt4, "int4": kindInt4, "boolean": kindBool, "bool": kindBool,
	"timestamptz": kindTimestamptz, "interval": kindInterval, "numeric": kindNumeric,
	"double precision": kindFloat8, "float8": kindFloat8,
}
