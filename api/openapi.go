package api

import _ "embed"

//go:embed openapi.yaml
var openAPI string

// OpenAPI returns the contract, an OpenAPI 3.1 document in YAML. A server of it has it at /v1/openapi.yaml.
func OpenAPI() []byte { return []byte(openAPI) }
