package auth

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path"
	"strings"
)

// Canonical returns the one spelling under which the session of an endpoint is kept: scheme and host in lower case, no
// default port, no slash at the end. Two URLs with the same spelling are the same endpoint; nothing else is.
func Canonical(endpoint *url.URL) (string, error) {
	switch {
	case endpoint.Scheme != "http" && endpoint.Scheme != "https", endpoint.Hostname() == "":
		return "", errors.New("reading the endpoint: it must begin with https:// and name a host")
	case endpoint.User != nil, endpoint.RawQuery != "", endpoint.Fragment != "":
		return "", errors.New("reading the endpoint: it must not carry a user name, a query or a fragment")
	}
	return origin(endpoint) + strings.TrimRight(endpoint.EscapedPath(), "/"), nil
}

// origin is the scheme, host and port of u, without the port that the scheme implies (RFC 6454, section 4).
func origin(u *url.URL) string {
	scheme, host, port := strings.ToLower(u.Scheme), strings.ToLower(u.Hostname()), u.Port()
	if port == map[string]string{"http": "80", "https": "443"}[scheme] {
		port = ""
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "" {
		host += ":" + port
	}
	return scheme + "://" + host
}

// owns reports whether u belongs to endpoint: the same origin, and below its path when it has one. A path with dot
// segments (RFC 3986, section 5.2.4), which may lead elsewhere, belongs to nobody.
func owns(endpoint, u *url.URL) bool {
	if origin(endpoint) != origin(u) {
		return false
	}
	prefix := strings.TrimRight(endpoint.EscapedPath(), "/")
	if prefix == "" {
		return true
	}
	p := u.EscapedPath()
	for _, form := range []string{p, u.Path} {
		if form != "" && strings.TrimRight(path.Clean(form), "/") != strings.TrimRight(form, "/") {
			return false
		}
	}
	return p == prefix || strings.HasPrefix(p, prefix+"/")
}

// checkScheme refuses plain http to other machines: it would show the tokens to the network.
func checkScheme(u *url.URL, allowHTTP bool) error {
	if u.Scheme == "https" || u.Scheme == "http" && (allowHTTP || isLoopback(u.Hostname())) {
		return nil
	}
	return fmt.Errorf("%s://%s is not encrypted: use https", u.Scheme, u.Host)
}

// isLoopback reports whether host is this machine; "localhost" never leaves it (RFC 6761, section 6.3).
func isLoopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
