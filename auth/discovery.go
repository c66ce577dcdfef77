package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	discoveryLimit = 30 * time.Second // for all of the discovery
	maxMetadata    = 1 << 20          // bytes of a metadata document
)

// serverMetadata is what is used of an authorization server's metadata (RFC 8414, section 2; RFC 8628, section 4;
// RFC 9207, section 3).
type serverMetadata struct {
	Issuer        string   `json:"issuer"`
	Authorization string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	Device        string   `json:"device_authorization_endpoint"`
	Revocation    string   `json:"revocation_endpoint"`
	Scopes        []string `json:"scopes_supported"`
	Challenges    []string `json:"code_challenge_methods_supported"`
	SendsIssuer   bool     `json:"authorization_response_iss_parameter_supported"`
}

// resourceMetadata is what is used of the API's own metadata (RFC 9728, section 2).
type resourceMetadata struct {
	Resource string   `json:"resource"`
	Servers  []string `json:"authorization_servers"`
	Scopes   []string `json:"scopes_supported"`
}

// discovery finds the authorization server of an endpoint.
type discovery struct {
	client    *http.Client
	allowHTTP bool
}

// errNoDocument says that a place for metadata has none.
var errNoDocument = errors.New("it has no such document")

// find returns the metadata of the server that signs people in to endpoint, with the scopes that the API asks for.
func (d discovery) find(ctx context.Context, endpoint *url.URL) (*serverMetadata, []string, error) {
	ctx, cancel := context.WithTimeout(ctx, discoveryLimit)
	defer cancel()
	issuer, scopes, err := d.issuer(ctx, endpoint)
	if err != nil {
		return nil, nil, fmt.Errorf("asking %s who signs people in: %w", endpoint, err)
	}
	meta, err := d.server(ctx, issuer)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the metadata of the authorization server %s: %w", issuer, err)
	}
	return meta, scopes, nil
}

// issuer asks the API for its authorization server. An API that doesn't say is taken to be its own.
func (d discovery) issuer(ctx context.Context, endpoint *url.URL) (string, []string, error) {
	resource, err := Canonical(endpoint)
	if err != nil {
		return "", nil, err
	}
	candidates := []string{resource}
	if own := origin(endpoint); own != resource {
		candidates = append(candidates, own)
	}
	for _, candidate := range candidates {
		var m resourceMetadata
		err := d.get(ctx, wellKnown(candidate, "oauth-protected-resource"), &m)
		if errors.Is(err, errNoDocument) {
			continue
		}
		if err != nil {
			return "", nil, err
		}
		// RFC 9728, section 3.3: a document that speaks for another resource must not be used.
		if named, err := url.Parse(m.Resource); err != nil || !sameEndpoint(named, candidate) {
			return "", nil, fmt.Errorf("its metadata is that of %q", m.Resource)
		}
		if len(m.Servers) > 0 {
			return m.Servers[0], m.Scopes, nil
		}
	}
	return origin(endpoint), nil, nil
}

func sameEndpoint(u *url.URL, canonical string) bool {
	c, err := Canonical(u)
	return err == nil && c == canonical
}

// wellKnown puts a well-known name between the host and the path of an identifier (RFC 8414, section 3.1; RFC 9728,
// section 3.1).
func wellKnown(identifier, name string) string {
	u, err := url.Parse(identifier)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host + "/.well-known/" + name + strings.TrimRight(u.EscapedPath(), "/")
}

// server reads an authorization server's metadata: RFC 8414 first, then OpenID Connect Discovery 1.0.
func (d discovery) server(ctx context.Context, issuer string) (*serverMetadata, error) {
	u, err := url.Parse(issuer)
	if err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("it is no issuer's URL")
	}
	if err := checkScheme(u, d.allowHTTP); err != nil {
		return nil, err
	}
	var m serverMetadata
	err = d.get(ctx, wellKnown(issuer, "oauth-authorization-server"), &m)
	if errors.Is(err, errNoDocument) {
		err = d.get(ctx, strings.TrimRight(issuer, "/")+"/.well-known/openid-configuration", &m)
	}
	if errors.Is(err, errNoDocument) {
		return nil, errors.New("it has none (RFC 8414, OpenID Connect Discovery): people can't sign in there, but keys work")
	}
	if err != nil {
		return nil, err
	}
	return &m, m.check(issuer, d.allowHTTP)
}

// check refuses metadata of another issuer (RFC 8414, section 3.3), and addresses that aren't safe.
func (m *serverMetadata) check(issuer string, allowHTTP bool) error {
	if strings.TrimRight(m.Issuer, "/") != strings.TrimRight(issuer, "/") {
		return fmt.Errorf("it is that of another issuer, %q", m.Issuer)
	}
	if m.Token == "" {
		return errors.New("it names no token endpoint")
	}
	for _, address := range []string{m.Authorization, m.Token, m.Device, m.Revocation} {
		if address == "" {
			continue
		}
		u, err := url.Parse(address)
		if err != nil || u.Host == "" || u.User != nil {
			return fmt.Errorf("%q is no address", address)
		}
		if err := checkScheme(u, allowHTTP); err != nil {
			return err
		}
	}
	if len(m.Challenges) > 0 && !slices.Contains(m.Challenges, "S256") {
		return errors.New("it does not take PKCE with S256")
	}
	return nil
}

// get reads one document. Redirects are followed within its origin alone.
func (d discovery) get(ctx context.Context, address string, v any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return err
	}
	if err := checkScheme(req.URL, d.allowHTTP); err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json")
	resp, err := d.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode/100 == 4 && resp.StatusCode != http.StatusTooManyRequests:
		return errNoDocument
	case resp.StatusCode != http.StatusOK:
		return fmt.Errorf("it answered %s", resp.Status)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxMetadata))
	if err != nil {
		return err
	}
	if !strings.Contains(resp.Header.Get("Content-Type"), "json") {
		return errNoDocument // a page that answers for everything
	}
	if err := json.Unmarshal(body, v); err != nil {
		return errors.New("it is not a metadata document")
	}
	return nil
}

// oauthClient returns a client for an authorization server's addresses. Its redirects stay within the origin and the
// method: what is posted there holds secrets.
func oauthClient(base http.RoundTripper) *http.Client {
	return &http.Client{Transport: base, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		first := via[0]
		if len(via) >= 5 || first.Method != http.MethodGet || origin(req.URL) != origin(first.URL) {
			return fmt.Errorf("it redirects to %s, which is not followed", origin(req.URL))
		}
		return nil
	}}
}
