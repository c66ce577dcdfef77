package api

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// Client calls a memory API. Make one with [NewClient]. It is safe for concurrent use.
type Client struct {
	WhoAmI      *WhoAmIService      // who the credential is
	Workspaces  *WorkspacesService  // isolated memories
	Memory      *MemoryService      // recall and export
	Formations  *FormationsService  // the making of memories
	Passages    *PassagesService    // remembered text
	Graph       *GraphService       // entities and assertions
	Keys        *KeysService        // API keys
	Permissions *PermissionsService // the catalogue of permissions
	Members     *MembersService     // the people of the team
	Roles       *RolesService       // named sets of permissions
	Invitations *InvitationsService // who is asked to join
	Audit       *AuditService       // every change of access and every erasure

	base      *url.URL
	http      *http.Client
	authorize func(http.Header) // sets the credential; a function, so that printing a client can't show it
	redact    func(string) string
	userAgent string
	retry     RetryPolicy
	log       *slog.Logger
	bodyLimit int64
}

// NewClient returns a client of the API at baseURL, such as "https://memory.example.com" or, behind a prefix,
// "https://example.com/memory". It makes no request. Plain http is refused for hosts that are not loopback, see
// [WithAllowHTTP].
func NewClient(baseURL string, opts ...Option) (*Client, error) {
	s := settings{userAgent: "lukasa", bodyLimit: DefaultResponseLimit}
	for _, opt := range opts {
		opt(&s)
	}
	base, err := parseBase(baseURL, s.allowHTTP)
	if err != nil {
		return nil, err
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	c := &Client{
		base: base, http: s.client(base), authorize: s.authorize(), redact: s.redact(),
		userAgent: s.userAgent, retry: s.retry.withDefaults(), log: s.logger, bodyLimit: s.bodyLimit,
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	c.WhoAmI = &WhoAmIService{c}
	c.Workspaces = &WorkspacesService{c}
	c.Memory = &MemoryService{c}
	c.Formations = &FormationsService{c}
	c.Passages = &PassagesService{c}
	c.Graph = &GraphService{c}
	c.Keys = &KeysService{c}
	c.Permissions = &PermissionsService{c}
	c.Members = &MembersService{c}
	c.Roles = &RolesService{c}
	c.Invitations = &InvitationsService{c}
	c.Audit = &AuditService{c}
	return c, nil
}

// BaseURL returns the address of the API, as the client was made with, without a slash at its end.
func (c *Client) BaseURL() string { return c.base.String() }

// String names the client by its address. The credential is not in it.
func (c *Client) String() string { return "api.Client(" + c.BaseURL() + ")" }

// GoString is String: printing a client in Go syntax must not show more than printing it does.
func (c *Client) GoString() string { return c.String() }

// parseBase checks a base URL. Its errors don't repeat what might hold a password.
func parseBase(raw string, allowHTTP bool) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, errors.New("reading the API's URL: it is not a URL; it looks like https://memory.example.com")
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https", u.Opaque != "", u.Hostname() == "":
		return nil, errors.New("reading the API's URL: it must begin with https:// and name a host")
	case u.User != nil:
		return nil, errors.New("reading the API's URL: it must not carry a user name or a password")
	case u.RawQuery != "", u.ForceQuery, strings.Contains(raw, "#"):
		return nil, errors.New("reading the API's URL: it must not carry a query or a fragment")
	}
	if err := checkScheme(u, allowHTTP); err != nil {
		return nil, fmt.Errorf("reading the API's URL: %w", err)
	}
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), strings.TrimRight(u.RawPath, "/")
	return u, nil
}

// checkScheme refuses plain http to hosts other than this one: it would show the credential to the network.
func checkScheme(u *url.URL, allowHTTP bool) error {
	if u.Scheme == "https" || u.Scheme == "http" && (allowHTTP || isLoopback(u.Hostname())) {
		return nil
	}
	return fmt.Errorf("%s://%s is not encrypted: use https", u.Scheme, u.Host)
}

// isLoopback reports whether host is this machine. "localhost" and what is below it never leave it, see RFC 6761.
func isLoopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
