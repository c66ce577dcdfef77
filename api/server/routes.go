package server

import (
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/lukasa-dev/lukasa/api/server/internal/access"
)

// Route is one route of the API.
type Route struct {
	Method  string
	Pattern string // of net/http.ServeMux, without the method
	// Permission is what the caller must hold; "" is any caller who is signed in.
	Permission string
	// Public routes take no credential.
	Public bool
	// Query names the query parameters that the route takes. Others are refused, but by the routes of sign-in, which
	// OAuth has ignore them.
	Query []string

	handle func(*call) error
	stream bool // no time limit: it takes as long as its reader does
	signIn bool // of OAuth, which ignores parameters that it doesn't know (RFC 6749 section 3.1)
	limit  limit
}

// InWorkspace reports whether the route is of one workspace, which a selector of the caller must cover.
func (r Route) InWorkspace() bool { return strings.Contains(r.Pattern, "{workspace}") }

// Routes returns every route of the API. It is the only place that says who may call what.
func Routes() []Route {
	return slices.Concat(operationRoutes(), signInRoutes(), accessRoutes(), workspaceRoutes(), memoryRoutes())
}

func operationRoutes() []Route {
	return []Route{
		{Method: "GET", Pattern: "/healthz", Public: true, handle: getHealth},
		{Method: "GET", Pattern: "/readyz", Public: true, handle: getReady},
		{Method: "GET", Pattern: "/v1/openapi.yaml", Public: true, handle: getOpenAPI, limit: limitOpen},
	}
}

func accessRoutes() []Route {
	return []Route{
		{Method: "GET", Pattern: "/v1/whoami", handle: getWhoAmI},
		{Method: "GET", Pattern: "/v1/permissions", handle: listPermissions},
		route("GET", "/v1/keys", access.KeysManage, listKeys, pageQuery()...),
		route("POST", "/v1/keys", access.KeysManage, createKey),
		route("DELETE", "/v1/keys/{id}", access.KeysManage, revokeKey),
		route("GET", "/v1/members", access.TeamRead, listMembers, pageQuery()...),
		route("GET", "/v1/members/{id}", access.TeamRead, getMember),
		route("PUT", "/v1/members/{id}", access.TeamManage, changeMember),
		route("DELETE", "/v1/members/{id}", access.TeamManage, removeMember),
		route("POST", "/v1/members/{id}/reset", access.TeamManage, resetMember),
		route("GET", "/v1/roles", access.TeamRead, listRoles, pageQuery()...),
		route("POST", "/v1/roles", access.RolesManage, createRole),
		route("PUT", "/v1/roles/{role}", access.RolesManage, changeRole),
		route("DELETE", "/v1/roles/{role}", access.RolesManage, deleteRole),
		route("GET", "/v1/invitations", access.TeamRead, listInvitations, pageQuery()...),
		route("POST", "/v1/invitations", access.TeamManage, createInvitation),
		route("DELETE", "/v1/invitations/{id}", access.TeamManage, revokeInvitation),
		route("GET", "/v1/audit", access.AuditRead, listAudit, pageQuery()...),
	}
}

func workspaceRoutes() []Route {
	export := route("GET", "/v1/workspaces/{workspace}/export", access.MemoryExport, exportWorkspace)
	export.stream = true
	return []Route{
		route("GET", "/v1/workspaces", access.WorkspacesRead, listWorkspaces, pageQuery()...),
		route("POST", "/v1/workspaces", access.WorkspacesCreate, createWorkspace),
		// No permission: any credential that reaches a workspace may ask what it may do there.
		{Method: "GET", Pattern: "/v1/workspaces/{workspace}", handle: getWorkspace},
		route("DELETE", "/v1/workspaces/{workspace}", access.WorkspacesDelete, deleteWorkspace),
		export,
	}
}

func memoryRoutes() []Route {
	const in = "/v1/workspaces/{workspace}"
	formationQuery := append(pageQuery(), "state")
	return []Route{
		route("POST", in+"/recall", access.MemoryRecall, recall),
		route("PUT", in+"/formations/{handle}", access.MemoryRemember, submitFormation),
		route("POST", in+"/formations:plan", access.MemoryRemember, planFormation),
		route("GET", in+"/formations/{handle}", access.MemoryRead, getFormation),
		route("GET", in+"/formations", access.MemoryRead, listFormations, formationQuery...),
		route("GET", in+"/passages", access.MemoryRead, listPassages, pageQuery()...),
		route("GET", in+"/passages/{id}", access.MemoryRead, getPassage),
		route("DELETE", in+"/passages/{id}", access.MemoryForget, forgetPassage),
		route("GET", in+"/graph", access.MemoryRead, listGraph, pageQuery()...),
		route("GET", in+"/assertions/{id}", access.MemoryRead, getAssertion),
	}
}

func pageQuery() []string { return []string{"page_size", "page_token"} }

func route(method, pattern string, p access.Permission, handle func(*call) error, query ...string) Route {
	return Route{Method: method, Pattern: pattern, Permission: string(p), Query: query, handle: handle}
}

// mux dispatches by path, then by method, so that a wrong method is told from a wrong path and answered like every
// other error.
func (s *Server) mux() http.Handler {
	byPattern := make(map[string]map[string]Route)
	for _, r := range Routes() {
		if byPattern[r.Pattern] == nil {
			byPattern[r.Pattern] = make(map[string]Route)
		}
		byPattern[r.Pattern][r.Method] = r
	}
	mux := http.NewServeMux()
	for pattern, byMethod := range byPattern {
		mux.Handle(pattern, s.methods(pattern, byMethod))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.fail(s.newCall(w, r, Route{Pattern: "unmatched"}), errNoRoute())
	})
	return cleanPaths(mux, s)
}

func (s *Server) methods(pattern string, byMethod map[string]Route) http.Handler {
	allow := allowed(byMethod)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet // net/http leaves the body out
		}
		if route, ok := byMethod[method]; ok {
			s.serve(s.newCall(w, r, route))
			return
		}
		w.Header().Set("Allow", allow)
		s.fail(s.newCall(w, r, Route{Pattern: pattern}), errMethod(allow))
	})
}

func allowed(byMethod map[string]Route) string {
	var list []string
	for method := range byMethod {
		list = append(list, method)
		if method == http.MethodGet {
			list = append(list, http.MethodHead)
		}
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// cleanPaths answers a path with empty or dot segments as one that isn't there. ServeMux would redirect it, and a
// client that follows would have its request answered by a path that it never asked for.
func cleanPaths(next http.Handler, s *Server) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isClean(r.URL.EscapedPath()) {
			s.fail(s.newCall(w, r, Route{Pattern: "unmatched"}), errNoRoute())
			return
		}
		next.ServeHTTP(w, r)
	})
}

func isClean(p string) bool {
	if !strings.HasPrefix(p, "/") {
		return false
	}
	clean := path.Clean(p)
	if strings.HasSuffix(p, "/") && clean != "/" {
		clean += "/"
	}
	return clean == p
}
