// Package webtest has a browser for tests: it keeps cookies, follows links and redirects within one server, fills in
// forms, and runs no scripts.
//
//	b := webtest.New(t, http.DefaultTransport)
//	page := b.Get(url + "/oauth/signin")
//	page = b.Submit(page, "Sign in", url.Values{"email": {"ana@example.com"}, "password": {"…"}})
package webtest
