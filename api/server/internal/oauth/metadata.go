package oauth

import "net/http"

// The paths of the endpoints, below the issuer.
const (
	PathAuthorize  = "/oauth/authorize"
	PathToken      = "/oauth/token"
	PathDevice     = "/oauth/device"
	PathVerify     = "/oauth/verify"
	PathRevoke     = "/oauth/revoke"
	PathIntrospect = "/oauth/introspect"
	PathSignIn     = "/oauth/signin"
	PathSignOut    = "/oauth/signout"
	PathInvitation = "/oauth/invitation"
	PathServer     = "/.well-known/oauth-authorization-server"
	PathResource   = "/.well-known/oauth-protected-resource"
)

// The grant types.
const (
	grantCode    = "authorization_code"
	grantRefresh = "refresh_token"
	grantDevice  = "urn:ietf:params:oauth:grant-type:device_code"
)

// serverMetadata is RFC 8414.
type serverMetadata struct {
	Issuer                string   `json:"issuer"`
	Authorization         string   `json:"authorization_endpoint"`
	Token                 string   `json:"token_endpoint"`
	Device                string   `json:"device_authorization_endpoint"`
	Revocation            string   `json:"revocation_endpoint"`
	Introspection         string   `json:"introspection_endpoint"`
	Scopes                []string `json:"scopes_supported"`
	ResponseTypes         []string `json:"response_types_supported"`
	ResponseModes         []string `json:"response_modes_supported"`
	GrantTypes            []string `json:"grant_types_supported"`
	TokenAuthMethods      []string `json:"token_endpoint_auth_methods_supported"`
	RevocationAuthMethods []string `json:"revocation_endpoint_auth_methods_supported"`
	CodeChallengeMethods  []string `json:"code_challenge_methods_supported"`
	IssParameter          bool     `json:"authorization_response_iss_parameter_supported"`
}

// Metadata answers with what a client needs to know of the server at issuer (RFC 8414).
func (s *Server) Metadata(w http.ResponseWriter, _ *http.Request, issuer string) error {
	return writeJSON(w, http.StatusOK, serverMetadata{
		Issuer: issuer, Authorization: issuer + PathAuthorize, Token: issuer + PathToken, Device: issuer + PathDevice,
		Revocation: issuer + PathRevoke, Introspection: issuer + PathIntrospect,
		Scopes: []string{scopeMemory, scopeOffline}, ResponseTypes: []string{"code"}, ResponseModes: []string{"query"},
		GrantTypes:       []string{grantCode, grantRefresh, grantDevice},
		TokenAuthMethods: []string{"none"}, RevocationAuthMethods: []string{"none"},
		CodeChallengeMethods: []string{"S256"}, IssParameter: true,
	})
}

// resourceMetadata is RFC 9728.
type resourceMetadata struct {
	Resource string   `json:"resource"`
	Servers  []string `json:"authorization_servers"`
	Scopes   []string `json:"scopes_supported"`
	Methods  []string `json:"bearer_methods_supported"`
	Name     string   `json:"resource_name"`
}

// Resource answers with which server signs people in to the API at issuer: itself (RFC 9728).
func (s *Server) Resource(w http.ResponseWriter, _ *http.Request, issuer string) error {
	return writeJSON(w, http.StatusOK, resourceMetadata{
		Resource: issuer, Servers: []string{issuer}, Scopes: []string{scopeMemory, scopeOffline},
		Methods: []string{"header"}, Name: "Lukasa memory API",
	})
}
