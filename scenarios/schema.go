package scenarios

import _ "embed"

// Schema is the JSON Schema of scenario files, for editors. It is generated from the types and
// their comments: go test ./scenarios -run Schema -update.
//
//go:embed schema.json
var Schema []byte
