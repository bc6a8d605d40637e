package mutation

import (
	"fmt"
	"go/ast"
	"strings"
)

func isSQL(code string) bool {
	for _, verb := range []string{"SELECT ", "INSERT INTO ", "UPDATE "} {
		if strings.Contains(code, verb) {
			return strings.Contains(code, " WHERE ") || strings.Contains(code, "\nWHERE ") || strings.Contains(code, " CONFLICT ")
		}
	}
	return false
}

// sql plants bugs in a statement's text.
func (p *planter) sql(n *ast.BasicLit) {
	text := p.text(n)
	for _, to := range statementsLike(text) {
		id := p.plant(n, "statement", difference(text, to))
		p.wrap(n, fmt.Sprintf("which.Pick(%d, %s, ", id, to), ")")
	}
}

// swaps are pairs of pieces of SQL that are easily taken for each other.
var swaps = [][2]string{
	{" < ", " <= "}, {" <= ", " < "}, {" > ", " >= "}, {" FOR UPDATE", ""},
	{"clock_timestamp()", "now()"}, {".token + 1", ".token"}, {" - $", " + $"},
}

// statementsLike lists the statements that differ from text by one bug. It is no parser: it knows
// how this project writes its statements.
func statementsLike(text string) (list []string) {
	for _, s := range swaps {
		for at := 0; ; {
			i := strings.Index(text[at:], s[0])
			if i < 0 {
				break
			}
			i += at
			list = append(list, text[:i]+s[1]+text[i+len(s[0]):])
			at = i + len(s[0])
		}
	}
	list = append(list, shorterLists(text)...)
	at := strings.Index(text, "WHERE ")
	if at < 0 {
		return list
	}
	at += len("WHERE ")
	end := len(text) - 1 // before the closing quote
	for _, word := range []string{"\nRETURNING", " RETURNING", "\nORDER BY", " ORDER BY", " FOR UPDATE"} {
		if i := strings.Index(text[at:], word); i >= 0 {
			end = min(end, at+i)
		}
	}
	for _, c := range conditions(text[at:end]) {
		from, to := at+c[0], at+c[1]
		list = append(list, text[:from]+"("+text[from:to]+" OR 1 = 1)"+text[to:])
	}
	return list
}

// shorterLists leaves out one value of each IN ('A', 'B').
func shorterLists(text string) (list []string) {
	for at := 0; ; {
		i := strings.Index(text[at:], " IN (")
		if i < 0 {
			return list
		}
		from := at + i + len(" IN (")
		to := from + strings.Index(text[from:], ")")
		values := strings.Split(text[from:to], ", ")
		for k := range values {
			if len(values) > 1 {
				rest := append(append([]string{}, values[:k]...), values[k+1:]...)
				list = append(list, text[:from]+strings.Join(rest, ", ")+text[to:])
			}
		}
		at = to
	}
}

// conditions finds what AND and OR join in a WHERE clause, as offsets; what is in brackets counts
// as one.
func conditions(where string) (list [][2]int) {
	depth, from := 0, 0
	for i := 0; i < len(where); i++ {
		switch {
		case where[i] == '(':
			depth++
		case where[i] == ')':
			depth--
		case depth > 0:
		default:
			for _, word := range []string{" AND ", " OR "} {
				if strings.HasPrefix(where[i:], word) {
					list = append(list, [2]int{from, i})
					from = i + len(word)
				}
			}
		}
	}
	if from == 0 {
		return nil // one condition alone: without it the statement means all rows, as nobody writes
	}
	return append(list, [2]int{from, len(where)})
}

// difference is what to has in the place where it differs from text.
func difference(text, to string) string {
	i := 0
	for i < min(len(text), len(to)) && text[i] == to[i] {
		i++
	}
	j := 0
	for j < min(len(text), len(to))-i && text[len(text)-1-j] == to[len(to)-1-j] {
		j++
	}
	from := max(0, i-24)
	return "…" + to[from:min(len(to), max(len(to)-j, i)+12)] + "…"
}
