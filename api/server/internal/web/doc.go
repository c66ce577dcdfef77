// Package web has the pages that people sign in with. They are plain HTML: nothing in them needs JavaScript, which their
// policy forbids, and all of it can be used with the keyboard alone.
//
//	page := web.Page{Title: "Sign in", Form: &web.Form{
//		Action: "/oauth/signin", Token: token,
//		Fields:  []web.Field{{Name: "email", Label: "E-mail address", Type: "email", Complete: "username", Focus: true}},
//		Buttons: []web.Button{{Label: "Sign in"}},
//	}}
//	if err := web.Write(w, http.StatusOK, page); err != nil {
//		return err
//	}
package web
