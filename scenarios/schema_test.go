package scenarios

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"dlsim/nemesis"

	"github.com/goccy/go-yaml"
	schemas "github.com/invopop/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v6"
)

var update = flag.Bool("update", false, "write schema.json anew")

// generated makes the schema from the types of a scenario and their comments.
func generated(t *testing.T) []byte {
	t.Helper()
	r := &schemas.Reflector{
		FieldNameTag: "yaml", RequiredFromJSONSchemaTags: true, ExpandedStruct: true, Anonymous: true,
		Mapper: func(t reflect.Type) *schemas.Schema {
			switch t {
			case reflect.TypeFor[time.Duration]():
				return &schemas.Schema{Type: "string", Pattern: `^-?([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`, Examples: []any{"2s", "150ms"}}
			case reflect.TypeFor[nemesis.Share]():
				rate := &schemas.Schema{Type: "number", Minimum: "0"}
				full := schemas.NewProperties()
				full.Set("rate", rate)
				full.Set("targets", &schemas.Schema{Type: "array", Items: &schemas.Schema{Type: "string"}})
				return &schemas.Schema{OneOf: []*schemas.Schema{rate,
					{Type: "object", Properties: full, AdditionalProperties: schemas.FalseSchema, Required: []string{"rate"}}}}
			case reflect.TypeFor[Choice]():
				return &schemas.Schema{Extras: map[string]any{"type": []string{"string", "number", "boolean"}}}
			case reflect.TypeFor[Random]():
				share := &schemas.Schema{Ref: "#/$defs/Share"}
				rates := schemas.NewProperties()
				rates.Set(Intensity, share)
				rates.Set(OnEvents, share)
				for _, k := range nemesis.Kinds() {
					rates.Set(k.Name, &schemas.Schema{Ref: share.Ref, Description: k.Short})
				}
				return &schemas.Schema{Type: "object", Properties: rates, AdditionalProperties: schemas.FalseSchema}
			}
			return nil
		},
	}
	for _, dir := range []string{".", "../system/config", "../nemesis"} {
		if err := r.AddGoComments("dlsim/scenarios", dir, schemas.WithFullComment()); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range r.CommentMap {
		r.CommentMap[name] = strings.Join(strings.Fields(text), " ")
	}
	s := r.Reflect(&Scenario{})
	s.Title = "dlsim scenario"
	s.Required = nil // every key has a default
	s.Definitions["Share"] = r.Mapper(reflect.TypeFor[nemesis.Share]())
	if fault := s.Definitions["Fault"]; fault != nil {
		fault.Required = []string{"kind"}
		kind, _ := fault.Properties.Get("kind")
		for _, k := range nemesis.Kinds() {
			kind.Enum = append(kind.Enum, k.Name)
		}
	}
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

func TestTheSchemaIsCurrent(t *testing.T) {
	want := generated(t)
	if *update {
		if err := os.WriteFile("schema.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(Schema, want) {
		t.Error("schema.json is not what the types give: go test ./scenarios -run Schema -update")
	}
}

func compiled(t *testing.T) *validator.Schema {
	t.Helper()
	doc, err := validator.UnmarshalJSON(bytes.NewReader(generated(t)))
	if err != nil {
		t.Fatal(err)
	}
	c := validator.NewCompiler()
	if err := c.AddResource("scenario.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("scenario.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asJSON turns YAML into what the validator reads.
func asJSON(t *testing.T, text []byte) any {
	t.Helper()
	j, err := yaml.YAMLToJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	v, err := validator.UnmarshalJSON(bytes.NewReader(j))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestEveryShippedScenarioFitsTheSchemaAsWrittenAndAsResolved(t *testing.T) {
	s := compiled(t)
	for _, name := range Names() {
		text, err := files.ReadFile(name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(asJSON(t, text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		loaded, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		resolved, err := loaded.Resolve(7)
		if err != nil {
			t.Fatal(err)
		}
		if text, err = resolved.YAML(); err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(asJSON(t, text)); err != nil {
			t.Errorf("%s, resolved: %v\n%s", name, err, text)
		}
	}
}

func TestTheSchemaRefusesWhatTheReaderRefuses(t *testing.T) {
	s := compiled(t)
	for _, text := range []string{
		"name: x\ndescription: y\nbuond: 1s\n",
		"name: x\ndescription: y\nbound: 1\n",
		"name: x\ndescription: y\nfaults: [{kind: puase}]\n",
		"name: x\ndescription: y\nrandom: {puase: 1}\n",
		"name: x\ndescription: y\ntopology: {executors: two}\n",
	} {
		if s.Validate(asJSON(t, []byte(text))) == nil {
			t.Errorf("the schema takes\n%s", text)
		}
		if _, err := Parse("x.yaml", []byte(text)); err == nil {
			t.Errorf("the reader takes\n%s", text)
		}
	}
}
