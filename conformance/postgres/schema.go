package postgres

import (
	"regexp"
	"strings"

	"dlsim/system/lock"
	"dlsim/system/paydb"
)

// schemas are the tables that programs run on: the system's own, and two small sets that know
// nothing of it.
var schemas = map[string]string{
	"paydb":  withoutComments(paydb.Schema),
	"lockdb": withoutComments(lock.Schema),
	"keys": `create table t (id bigint primary key, v bigint not null, u text unique);
create table p (a bigint, b text, n bigint not null default 0 check (n < 1000), primary key (a, b));`,
	"values": `create sequence seq;
create table ev (id bigint primary key default nextval('seq'), at timestamptz not null default now(), note text, d boolean);
create table k (n integer, s text, constraint small check (n < 100));`,
}

// tables and sequences are what schemas make.
var (
	tables = map[string][]string{
		"paydb": made("table", "paydb"), "lockdb": made("table", "lockdb"),
		"keys": made("table", "keys"), "values": made("table", "values"),
	}
	sequences = map[string][]string{"values": made("sequence", "values")}
)

func withoutComments(sql string) string {
	return regexp.MustCompile(`--[^\n]*`).ReplaceAllString(sql, "")
}

func made(what, schema string) []string {
	var out []string
	for _, m := range regexp.MustCompile(`(?i)create `+what+` (\w+)`).FindAllStringSubmatch(schemas[schema], -1) {
		out = append(out, strings.ToLower(m[1]))
	}
	return out
}
