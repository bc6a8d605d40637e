package postgres

import "strings"

type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenWord
	tokenQuotedName
	tokenString
	tokenInteger
	tokenDecimal
	tokenParam
	tokenSymbol
)

// token is one word of SQL. Unquoted words are folded to lower case.
type token struct {
	kind tokenKind
	text string
}

// lex splits sql into tokens, dropping comments.
func lex(sql string) ([]token, error) {
	var out []token
	unsupported := func(what string) error { return &UnsupportedError{Construct: what, SQL: sql} }
	for i := 0; i < len(sql); {
		c := sql[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case strings.HasPrefix(sql[i:], "--"):
			if n := strings.IndexByte(sql[i:], '\n'); n >= 0 {
				i += n + 1
			} else {
				i = len(sql)
			}
		case strings.HasPrefix(sql[i:], "/*"):
			n := strings.Index(sql[i+2:], "*/")
			if n < 0 {
				return nil, unsupported("unterminated comment")
			}
			i += n + 4
		case wordStart(c):
			j := i + 1
			for j < len(sql) && (wordStart(sql[j]) || digit(sql[j])) {
				j++
			}
			out = append(out, token{tokenWord, strings.ToLower(sql[i:j])})
			i = j
		case digit(c) || c == '.' && i+1 < len(sql) && digit(sql[i+1]):
			j, kind := i, tokenInteger
			for j < len(sql) && (digit(sql[j]) || sql[j] == '.') {
				if sql[j] == '.' {
					if kind == tokenDecimal {
						return nil, unsupported("number " + sql[i:j+1])
					}
					kind = tokenDecimal
				}
				j++
			}
			if j < len(sql) && wordStart(sql[j]) {
				return nil, unsupported("number " + sql[i:j+1])
			}
			out = append(out, token{kind, sql[i:j]})
			i = j
		case c == '\'' || c == '"':
			text, n := quoted(sql[i:], c)
			if n < 0 {
				return nil, unsupported("unterminated quote")
			}
			kind := tokenString
			if c == '"' {
				kind = tokenQuotedName
			}
			out = append(out, token{kind, text})
			i += n
		case c == '$' && i+1 < len(sql) && digit(sql[i+1]):
			j := i + 1
			for j < len(sql) && digit(sql[j]) {
				j++
			}
			out = append(out, token{tokenParam, sql[i+1 : j]})
			i = j
		default:
			sym := symbolAt(sql[i:])
			if sym == "" {
				return nil, unsupported("character " + sql[i:i+1])
			}
			out = append(out, token{tokenSymbol, sym})
			i += len(sym)
		}
	}
	return append(out, token{kind: tokenEnd}), nil
}

func wordStart(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// quoted reads a quoted run and returns its text and its length in s, or -1 when it never ends.
func quoted(s string, q byte) (string, int) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		if s[i] != q {
			b.WriteByte(s[i])
			continue
		}
		if i+1 < len(s) && s[i+1] == q {
			b.WriteByte(q)
			i++
			continue
		}
		return b.String(), i + 1
	}
	return "", -1
}

var symbols = []string{"::", "||", "<=", ">=", "<>", "!=", "(", ")", ",", ";", ".", "*", "+", "-", "/", "%", "=", "<", ">", "[", "]"}

func symbolAt(s string) string {
	for _, sym := range symbols {
		if strings.HasPrefix(s, sym) {
			return sym
		}
	}
	return ""
}
