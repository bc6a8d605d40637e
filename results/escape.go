package results

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Plain makes s safe for a terminal and for one line of text: control characters, line breaks,
// invisible format characters (the bidirectional overrides among them) and broken UTF-8 become
// visible escapes. Names in scenario files come from anyone.
func Plain(s string) string {
	if !needsEscape(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case !hidden(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += n
	}
	return b.String()
}

// OneLine is Plain, cut to what a person reads on one screen; texts come from anywhere and can
// name much.
func OneLine(s string) string {
	const most = 400
	s = Plain(s)
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}

func needsEscape(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c >= 0x7f {
			return !utf8.ValidString(s) || strings.IndexFunc(s, hidden) >= 0
		}
	}
	return false
}

func hidden(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029'
}

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`,
	"<", "&lt;", ">", "&gt;", "&", "&amp;", "|", `\|`, "#", `\#`, "~", `\~`,
)

// Markdown makes s one line of inert text, also inside a table's cell.
func Markdown(s string) string { return markdownEscapes.Replace(Plain(s)) }
