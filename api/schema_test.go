package api_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pb33f/libopenapi"
	"github.com/pb33f/libopenapi/datamodel/high/base"
	v3 "github.com/pb33f/libopenapi/datamodel/high/v3"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/formation"
)

// contractTypes returns a zero value of every type of the contract. Each has a schema of its name.
func contractTypes() []any {
	return []any{
		api.Turn{}, api.Workspace{}, api.WorkspaceCounts{}, api.CreateWorkspace{}, api.Erasure{}, api.RecallRequest{},
		api.Recall{}, api.Passage{}, api.PassageDetail{}, api.PassagePage{}, api.Entity{}, api.Assertion{},
		api.AssertionDetail{}, api.Graph{}, api.GraphPage{}, api.Source{}, api.SourceClient{}, api.SubmitFormation{},
		api.Formation{}, api.Extractor{}, api.FormationPage{}, api.Plan{}, api.Candidate{}, api.Decisions{}, api.Writes{},
		api.Redaction{}, api.Identity{}, api.Key{}, api.CreateKey{}, api.NewKey{}, api.KeyPage{}, api.WorkspacePage{},
		api.Member{}, api.ChangeMember{}, api.MemberPage{}, api.Role{}, api.CreateRole{}, api.ChangeRole{}, api.RolePage{},
		api.Invitation{}, api.CreateInvitation{}, api.NewInvitation{}, api.InvitationPage{}, api.AuditEntry{},
		api.AuditActor{}, api.AuditPage{},
		api.PermissionList{}, api.ExportRecord{}, api.Health{}, api.Error{}, api.FieldError{},
	}
}

// words returns the schemas that are no object, with the Go strings that each may be; nil where it is not a fixed list.
func words() map[string][]string {
	return map[string][]string{
		"WorkspaceName": nil, "Handle": nil, "Time": nil, "Permission": nil, "Selector": nil, "RoleName": nil,
		"FormationState": {
			string(api.FormationQueued), string(api.FormationRunning), string(api.FormationFinished), string(api.FormationFailed),
		},
		"Decision": {
			string(api.DecisionNew), string(api.DecisionRevised), string(api.DecisionAlreadyKnown), string(api.DecisionRejected),
		},
	}
}

// document parses the contract.
func document(t *testing.T) (libopenapi.Document, *v3.Document) {
	t.Helper()
	doc, err := libopenapi.NewDocument(api.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	model, err := doc.BuildV3Model()
	if err != nil {
		t.Fatal(err)
	}
	return doc, &model.Model
}

func schemas(t *testing.T) map[string]*base.Schema {
	t.Helper()
	_, model := document(t)
	all := make(map[string]*base.Schema)
	for name, proxy := range model.Components.Schemas.FromOldest() {
		all[name] = proxy.Schema()
		if all[name] == nil {
			t.Fatalf("schema %s can't be read: %v", name, proxy.GetBuildError())
		}
	}
	return all
}

// fieldOf is a field as both sides describe it.
type fieldOf struct {
	Required bool
	Kind     string // the JSON type; "ref X" for another schema; "[] …" for a list
}

// jsonFields describes the fields that encoding/json gives a struct, those of embedded structs too.
func jsonFields(t reflect.Type) map[string]fieldOf {
	fields := make(map[string]fieldOf)
	for f := range fieldsOf(t) {
		if f.Anonymous {
			maps.Copy(fields, jsonFields(f.Type))
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		fields[name] = fieldOf{Required: !strings.Contains(options, "omitempty"), Kind: kindOf(f.Type)}
	}
	return fields
}

func fieldsOf(t reflect.Type) func(func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			if !yield(t.Field(i)) {
				return
			}
		}
	}
}

func kindOf(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[time.Time]():
		return "ref Time"
	case reflect.TypeFor[json.RawMessage]():
		return "object"
	}
	switch t.Kind() { //nolint:exhaustive // the contract has no other kinds, and an unknown one fails the comparison
	case reflect.Pointer:
		return kindOf(t.Elem())
	case reflect.Slice:
		return "[] " + kindOf(t.Elem())
	case reflect.Struct:
		return "ref " + t.Name()
	case reflect.Int:
		return "integer"
	case reflect.Float64:
		return "number"
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		return "string"
	}
	return t.String()
}

// schemaFields describes the properties of a schema, those of its allOf too. References to words count as strings.
func schemaFields(s *base.Schema) map[string]fieldOf {
	fields := make(map[string]fieldOf)
	for _, part := range s.AllOf {
		maps.Copy(fields, schemaFields(part.Schema()))
	}
	if s.Properties == nil {
		return fields
	}
	for name, proxy := range s.Properties.FromOldest() {
		fields[name] = fieldOf{Required: slices.Contains(s.Required, name), Kind: schemaKind(proxy)}
	}
	return fields
}

func schemaKind(proxy *base.SchemaProxy) string {
	schema := proxy.Schema()
	if ref := proxy.GetReference(); ref != "" {
		name := ref[strings.LastIndex(ref, "/")+1:]
		if _, word := words()[name]; word && name != "Time" {
			return "string"
		}
		return "ref " + name
	}
	switch {
	case len(schema.Type) != 1:
		return "any of " + strings.Join(schema.Type, ", ")
	case schema.Type[0] == "array":
		return "[] " + schemaKind(schema.Items.A)
	}
	return schema.Type[0]
}

// Every type has a schema with the same fields: none more, none less, of the same kinds, and required where the type
// always has them.
func TestTypesMatchSchemas(t *testing.T) {
	all := schemas(t)
	for _, v := range contractTypes() {
		typ := reflect.TypeOf(v)
		schema, ok := all[typ.Name()]
		if !ok {
			t.Errorf("type %s has no schema", typ.Name())
			continue
		}
		delete(all, typ.Name())
		if diff := cmp.Diff(schemaFields(schema), jsonFields(typ)); diff != "" {
			t.Errorf("%s (-schema +type):\n%s", typ.Name(), diff)
		}
	}
	for name := range words() {
		delete(all, name)
	}
	for name := range all {
		t.Errorf("schema %s has no type", name)
	}
}

// A type that joins the package can't be forgotten above.
func TestContractTypesAreComplete(t *testing.T) {
	listed := make(map[string]bool)
	for _, v := range contractTypes() {
		listed[reflect.TypeOf(v).Name()] = true
	}
	found := 0
	for _, file := range []string{"types.go", "errors.go"} {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || !hasJSON(spec) {
				return true
			}
			if found++; !listed[spec.Name.Name] {
				t.Errorf("type %s is not compared with the contract", spec.Name.Name)
			}
			return true
		})
	}
	if want := len(listed) - 1; found != want { // Turn is the formation package's
		t.Errorf("%d types found in the source, want %d", found, want)
	}
}

func hasJSON(spec *ast.TypeSpec) bool {
	s, ok := spec.Type.(*ast.StructType)
	return ok && slices.ContainsFunc(s.Fields.List, func(f *ast.Field) bool {
		return f.Tag != nil && strings.Contains(f.Tag.Value, "json:")
	})
}

// Lists of words are the same on both sides.
func TestWordsMatchSchemas(t *testing.T) {
	all := schemas(t)
	codes := make([]string, 0, len(api.Codes()))
	for _, c := range api.Codes() {
		codes = append(codes, string(c))
	}
	property := func(schema, name string) *base.Schema {
		p := all[schema].Properties.GetOrZero(name)
		if p == nil {
			t.Fatalf("schema %s has no property %s", schema, name)
		}
		return p.Schema()
	}
	type list struct {
		schema *base.Schema
		want   []string
	}
	lists := map[string]list{
		"code": {property("Error", "code"), codes},
		"kind": {property("Candidate", "kind"), []string{string(api.KindFact), string(api.KindRelationship)}},
		"flag": {property("Passage", "flags").Items.A.Schema(), []string{api.FlagAddressesReader}},
		"unqualified_reason": {property("Assertion", "unqualified_reason"), []string{
			api.UnqualifiedHedged, api.UnqualifiedSaidByAssistant, api.UnqualifiedSecondHand, api.UnqualifiedNoKnownTime,
			api.UnqualifiedContradicted, api.UnqualifiedPlanned, api.UnqualifiedExpired,
		}},
		"role": {property("Turn", "role"), []string{
			string(formation.RoleUser), string(formation.RoleAssistant), string(formation.RoleSystem), string(formation.RoleTool),
		}},
	}
	for name, want := range words() {
		if want != nil {
			lists[name] = list{all[name], want}
		}
	}
	for name, l := range lists {
		got := make([]string, 0, len(l.schema.Enum))
		for _, node := range l.schema.Enum {
			got = append(got, node.Value)
		}
		if diff := cmp.Diff(l.want, got); diff != "" {
			t.Errorf("%s (-type +schema):\n%s", name, diff)
		}
	}
}

// Limits are the same on both sides.
func TestLimitsMatchSchemas(t *testing.T) {
	all := schemas(t)
	turns := all["SubmitFormation"].Properties.GetOrZero("turns").Schema()
	if turns.MaxItems == nil || *turns.MaxItems != formation.MaxTurns {
		t.Errorf("turns: maxItems %v, want %d", turns.MaxItems, formation.MaxTurns)
	}
	content := all["Turn"].Properties.GetOrZero("content").Schema()
	if content.MaxLength == nil || *content.MaxLength != formation.MaxTurnBytes {
		t.Errorf("content: maxLength %v, want %d", content.MaxLength, formation.MaxTurnBytes)
	}
	if !strings.Contains(string(api.OpenAPI()), "1,048,576 bytes") || api.MaxRequestBytes != 1048576 {
		t.Error("the size of a request differs")
	}
}

// Each code is answered with the status that the types give it.
func TestCodesMatchResponses(t *testing.T) {
	_, model := document(t)
	documented := make(map[api.Code]bool)
	for name, response := range model.Components.Responses.FromOldest() {
		schema := response.Content.GetOrZero("application/problem+json").Schema.Schema().AllOf[1].Schema()
		status := schema.Properties.GetOrZero("status").Schema().Const.Value
		code := schema.Properties.GetOrZero("code").Schema()
		nodes := code.Enum
		if code.Const != nil {
			nodes = append(nodes, code.Const)
		}
		for _, node := range nodes {
			c := api.Code(node.Value)
			documented[c] = true
			if want := c.Status(); status != itoa(want) {
				t.Errorf("%s: %s with status %s, want %d", name, c, status, want)
			}
		}
	}
	for _, c := range api.Codes() {
		if !documented[c] {
			t.Errorf("no response has the code %s", c)
		}
	}
}
