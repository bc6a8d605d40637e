package scenarios

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"dlsim/nemesis"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// reader fills Go values from YAML, strictly. The YAML library's own decoder is not strict enough:
// it takes a number for a text and a text for a number, and does not name the nearest key.
type reader struct {
	file  string
	lines map[string]int // line of each value by its path, for what is found wrong later
}

// scalar is what types with a written form of their own implement.
type scalar interface{ UnmarshalYAML([]byte) error }

// read parses text, which must be one document, into v.
func (r *reader) read(text []byte, v reflect.Value) error {
	f, err := parser.ParseBytes(text, 0)
	if err != nil {
		return r.syntax(err)
	}
	docs := slices.DeleteFunc(f.Docs, func(d *ast.DocumentNode) bool { return d.Body == nil })
	switch {
	case len(docs) == 0:
		return fmt.Errorf("%s: the file is empty", r.file)
	case len(docs) > 1:
		return fmt.Errorf("%s:%d: a scenario is one document", r.file, line(docs[1].Body))
	}
	return r.value(docs[0].Body, v, "")
}

// syntax makes one line of the parser's report, which shows the source around the mistake.
func (r *reader) syntax(err error) error {
	text, _, _ := strings.Cut(err.Error(), "\n")
	at := ""
	if rest, ok := strings.CutPrefix(text, "["); ok {
		if place, message, ok := strings.Cut(rest, "] "); ok {
			at, _, _ = strings.Cut(place, ":")
			text = message
		}
	}
	if strings.Contains(text, "character '\t'") {
		text = "a tab: indent with spaces"
	}
	if at == "" {
		return fmt.Errorf("%s: %s", r.file, text)
	}
	return fmt.Errorf("%s:%s: %s", r.file, at, text)
}

func (r *reader) wrong(n ast.Node, path, format string, args ...any) error {
	message := fmt.Sprintf(format, args...)
	if path != "" {
		message = path + ": " + message
	}
	return fmt.Errorf("%s:%d: %s", r.file, line(n), message)
}

func line(n ast.Node) int {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 0
}

func (r *reader) value(n ast.Node, v reflect.Value, path string) error {
	if r.lines != nil {
		r.lines[path] = line(n)
	}
	switch n.(type) {
	case *ast.NullNode:
		return r.wrong(n, path, "has no value")
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode:
		return r.wrong(n, path, "anchors, aliases and tags are not used in scenarios")
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		return r.value(n, v.Elem(), path)
	}
	if pairs, ok := pairsOf(n); ok {
		switch v.Kind() {
		case reflect.Struct:
			return r.fields(pairs, v, path)
		case reflect.Map:
			return r.entries(pairs, v, path)
		}
		return r.wrong(n, path, "want %s, not a mapping", wanted(v.Type()))
	}
	if list, ok := n.(*ast.SequenceNode); ok {
		return r.items(list, v, path)
	}
	return r.scalar(n, v, path)
}

// pairsOf lists the pairs of a mapping; the parser has two nodes for it.
func pairsOf(n ast.Node) ([]*ast.MappingValueNode, bool) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	}
	return nil, false
}

func (r *reader) fields(pairs []*ast.MappingValueNode, v reflect.Value, path string) error {
	fields := fieldsOf(v)
	seen := map[string]bool{}
	for _, p := range pairs {
		key := p.Key.String()
		at := join(path, key)
		if seen[key] {
			return r.wrong(p.Key, "", "%s is given twice", at)
		}
		seen[key] = true
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == key })
		if i < 0 {
			return r.wrong(p.Key, "", "unknown key %q%s", at, nemesis.DidYouMean(key, fieldNames(fields)))
		}
		if err := r.value(p.Value, fields[i].value, at); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) entries(pairs []*ast.MappingValueNode, v reflect.Value, path string) error {
	m := reflect.MakeMap(v.Type())
	for _, p := range pairs {
		key := reflect.ValueOf(strings.Trim(p.Key.String(), `"'`))
		at := join(path, key.String())
		if m.MapIndex(key).IsValid() {
			return r.wrong(p.Key, "", "%s is given twice", at)
		}
		value := reflect.New(v.Type().Elem()).Elem()
		if err := r.value(p.Value, value, at); err != nil {
			return err
		}
		m.SetMapIndex(key, value)
	}
	v.Set(m)
	return nil
}

func (r *reader) items(list *ast.SequenceNode, v reflect.Value, path string) error {
	if v.Kind() != reflect.Slice {
		return r.wrong(list, path, "want %s, not a list", wanted(v.Type()))
	}
	items := reflect.MakeSlice(v.Type(), len(list.Values), len(list.Values))
	for i, n := range list.Values {
		if err := r.value(n, items.Index(i), join(path, strconv.Itoa(i))); err != nil {
			return err
		}
	}
	v.Set(items)
	return nil
}

func (r *reader) scalar(n ast.Node, v reflect.Value, path string) error {
	text := n.GetToken().Value
	if l, ok := n.(*ast.LiteralNode); ok {
		text = l.Value.Value
	}
	if s, ok := v.Addr().Interface().(scalar); ok {
		if err := s.UnmarshalYAML([]byte(text)); err != nil {
			return r.wrong(n, path, "%v", err)
		}
		return nil
	}
	_, isText := n.(*ast.StringNode)
	_, isBlock := n.(*ast.LiteralNode)
	_, isInteger := n.(*ast.IntegerNode)
	_, isBool := n.(*ast.BoolNode)
	var err error
	switch {
	case v.Type() == reflect.TypeFor[time.Duration]():
		var d time.Duration
		if d, err = time.ParseDuration(text); err == nil {
			v.SetInt(int64(d))
		}
	case v.Kind() == reflect.String && (isText || isBlock):
		v.SetString(strings.TrimSpace(text))
	case v.Kind() == reflect.Bool && isBool:
		v.SetBool(text == "true")
	case v.CanInt() && isInteger:
		var i int64
		if i, err = strconv.ParseInt(text, 10, v.Type().Bits()); err == nil {
			v.SetInt(i)
		}
	case v.CanUint() && isInteger:
		var u uint64
		if u, err = strconv.ParseUint(text, 10, v.Type().Bits()); err == nil {
			v.SetUint(u)
		}
	default:
		err = errors.New("type")
	}
	if err != nil {
		return r.wrong(n, path, "want %s, not %q", wanted(v.Type()), text)
	}
	return nil
}

// wanted names a type for someone who writes YAML.
func wanted(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Duration]():
		return "a duration such as 2s or 150ms"
	case t == reflect.TypeFor[nemesis.Share]():
		return "a rate from 0 of at most three decimal places, or {rate: 0.5, targets: [proxy]}"
	case t.Kind() == reflect.String:
		return "a text"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Slice:
		return "a list"
	case t.Kind() == reflect.Map, t.Kind() == reflect.Struct:
		return "a mapping"
	}
	return "a whole number"
}

// field is a field of a struct under its YAML name.
type field struct {
	name  string
	value reflect.Value
}

// fieldsOf lists the fields of a struct, those of inlined structs among them.
func fieldsOf(v reflect.Value) []field {
	var fields []field
	for i := range v.NumField() {
		name, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		switch {
		case options == "inline":
			fields = append(fields, fieldsOf(v.Field(i))...)
		case name != "" && name != "-":
			fields = append(fields, field{name, v.Field(i)})
		}
	}
	return fields
}

func fieldNames(fields []field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	return names
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
