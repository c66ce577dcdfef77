package server

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

const demoFormations = "/v1/workspaces/demo/formations"

func submit(tb testing.TB, s *Server, key, handle, body string) answer {
	tb.Helper()
	return send(tb, s, request{method: "PUT", path: demoFormations + "/" + handle, body: body, key: key})
}

func TestSubmit(t *testing.T) {
	s := quiet(t)
	makeWorkspace(t, s, "demo")
	key := secret(t, s, allPermissions(), []string{"*"})
	handle, body := conversation(t, "I live in Utrecht.", "I work for Acme.")

	a := submit(t, s, key, handle, body)
	f := decode[api.Formation](t, a)
	if a.status != http.StatusAccepted || f.Handle != handle || f.State != api.FormationQueued || f.Workspace != "demo" {
		t.Errorf("%d: %s", a.status, a.body)
	}
	if got := a.header.Get("Location"); got != demoFormations+"/"+handle {
		t.Errorf("location %q", got)
	}
	if strings.Contains(string(a.body), "null") {
		t.Errorf("null in %s", a.body)
	}
	again := submit(t, s, key, handle, body)
	if again.status != http.StatusOK || again.header.Get("Location") != "" {
		t.Errorf("sent again: %d", again.status)
	}
	list := decode[api.FormationPage](t, send(t, s, request{method: "GET", path: demoFormations, key: key}))
	if len(list.Formations) != 1 {
		t.Errorf("%d formations of one conversation", len(list.Formations))
	}
	other, _ := conversation(t, "I live in Ghent.")
	for _, wrong := range []string{other, strings.ToUpper(handle), "fm_x", "%00"} {
		e := problem(t, submit(t, s, key, wrong, body), http.StatusUnprocessableEntity, api.CodeHandleMismatch)
		if !strings.Contains(e.Detail, handle) {
			t.Errorf("%q doesn't tell the handle", e.Detail)
		}
	}
	a = send(t, s, request{method: "PUT", path: "/v1/workspaces/absent/formations/" + handle, body: body, key: key})
	problem(t, a, http.StatusNotFound, api.CodeNotFound)
}

// The instant of observed_at is part of the handle, its way of being written isn't.
func TestSubmitObservedAt(t *testing.T) {
	s := quiet(t)
	makeWorkspace(t, s, "demo")
	key := secret(t, s, allPermissions(), []string{"*"})
	const handle = "fm_jcrk5hqr2czqbnawaabhxqlpzwezp67u" // a golden vector of the handle's encoding
	turns := `[{"role": "system", "content": "You are a helpful assistant."},
		{"role": "user", "content": "Ich heiße Jörg und wohne in Köln. 東京にも行きたい 🗼"},
		{"role": "tool", "content": "{\"ok\": true}"}, {"role": "assistant", "content": "Notiert, Jörg."}]`
	statuses := []int{}
	for _, at := range []string{"2025-03-30T01:30:00+01:00", "2025-03-30T00:30:00Z", "2025-03-30T00:30:00.000-00:00"} {
		a := submit(t, s, key, handle, fmt.Sprintf(`{"turns": %s, "observed_at": %q}`, turns, at))
		statuses = append(statuses, a.status)
	}
	if want := []int{202, 200, 200}; !slices.Equal(statuses, want) {
		t.Errorf("statuses %v, want %v", statuses, want)
	}
	problem(t, submit(t, s, key, handle, fmt.Sprintf(`{"turns": %s}`, turns)), http.StatusUnprocessableEntity, api.CodeHandleMismatch)
	ahead := fmt.Sprintf(`{"turns": %s, "observed_at": "2990-01-01T00:00:00Z"}`, turns)
	plan := send(t, s, request{method: "POST", path: "/v1/workspaces/demo/formations:plan", body: ahead, key: key})
	for name, a := range map[string]answer{"submitted": submit(t, s, key, handle, ahead), "planned": plan} {
		if e := problem(t, a, http.StatusBadRequest, api.CodeInvalidRequest); len(e.Errors) != 1 || e.Errors[0].Field != "observed_at" {
			t.Errorf("%s: errors %+v, want one of observed_at", name, e.Errors)
		}
	}
}

// What looks like a secret never reaches the store's files.
func TestSecretsDoNotReachTheDisk(t *testing.T) {
	s, log := open(t, Options{NoWorker: true})
	makeWorkspace(t, s, "demo")
	key := secret(t, s, allPermissions(), []string{"*"})
	const password = "Zk7vQ93xLm2"
	handle, body := conversation(t, "the orders are in postgres://app:"+password+"@db-2/orders")
	f := decode[api.Formation](t, submit(t, s, key, handle, body))
	if len(f.Redactions) != 1 || f.Redactions[0].Turn != 0 || f.Redactions[0].Count != 1 {
		t.Errorf("redactions %+v", f.Redactions)
	}
	dir := storeDir(t, s)
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("files %v: %v", files, err)
	}
	found := false
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found = found || strings.Contains(string(raw), handle)
		for _, hidden := range []string{password, key} {
			if strings.Contains(string(raw), hidden) {
				t.Errorf("%s has %s", filepath.Base(name), hidden)
			}
		}
	}
	if !found {
		t.Error("the formation is in none of the files: this test looks at the wrong ones")
	}
	if strings.Contains(log.String(), password) {
		t.Error("the log has the password")
	}
}

func TestPlanWritesNothing(t *testing.T) {
	s := quiet(t)
	makeWorkspace(t, s, "demo")
	key := secret(t, s, allPermissions(), []string{"*"})
	handle, body := conversation(t, "I live in Utrecht, near the old water tower.")
	for range 2 {
		a := send(t, s, request{method: "POST", path: demoFormations + ":plan", body: body, key: key})
		plan := decode[api.Plan](t, a)
		if a.status != http.StatusOK || plan.Handle != handle || plan.Decisions.New == 0 || plan.Writes.Passages != 1 {
			t.Errorf("%d: %s", a.status, a.body)
		}
		if strings.Contains(string(a.body), "null") {
			t.Errorf("null in %s", a.body)
		}
	}
	w := decode[api.Workspace](t, send(t, s, request{method: "GET", path: "/v1/workspaces/demo", key: key}))
	if *w.Counts != (api.WorkspaceCounts{}) {
		t.Errorf("a plan wrote %+v", *w.Counts)
	}
	problem(t, send(t, s, request{method: "GET", path: demoFormations + "/" + handle, key: key}), http.StatusNotFound, api.CodeNotFound)
}

func TestWaitForFormation(t *testing.T) {
	s, _ := open(t, Options{})
	makeWorkspace(t, s, "demo")
	key := secret(t, s, allPermissions(), []string{"*"})
	const waiters = 8
	var wg sync.WaitGroup
	for i := range waiters {
		wg.Go(func() {
			handle, body := conversation(t, fmt.Sprintf("My locker has the number %d.", i))
			submit(t, s, key, handle, body)
			a := send(t, s, request{
				method: "GET", path: demoFormations + "/" + handle, key: key, header: http.Header{"Prefer": {"wait=60"}},
			})
			f := decode[api.Formation](t, a)
			if f.State != api.FormationFinished || f.Writes.Passages != 1 || f.FinishedAt == nil {
				t.Errorf("%s", a.body)
			}
			if got := a.header.Get("Preference-Applied"); got != "wait=30" {
				t.Errorf("preference applied: %q", got)
			}
		})
	}
	wg.Wait()
}

// Waiting ends with the time that was asked for, or when the server ends, and answers what is known by then.
func TestWaitEndsInTime(t *testing.T) {
	s := quiet(t)
	makeWorkspace(t, s, "demo")
	key := secret(t, s, allPermissions(), []string{"*"})
	handle, body := conversation(t, "I live in Utrecht.")
	submit(t, s, key, handle, body)
	get := func(prefer string) (answer, time.Duration) {
		began := time.Now()
		a := send(t, s, request{
			method: "GET", path: demoFormations + "/" + handle, key: key, header: http.Header{"Prefer": {prefer}},
		})
		return a, time.Since(began)
	}
	if a, took := get("wait=1"); decode[api.Formation](t, a).State != api.FormationQueued || took < time.Second || took > 10*time.Second {
		t.Errorf("after %v: %s", took, a.body)
	}
	if a, took := get("wait=0"); decode[api.Formation](t, a).State != api.FormationQueued || took > 900*time.Millisecond {
		t.Errorf("after %v: %s", took, a.body)
	}
	time.AfterFunc(100*time.Millisecond, s.stop)
	if a, took := get("wait=30"); decode[api.Formation](t, a).State != api.FormationQueued || took > 10*time.Second {
		t.Errorf("after %v: %s", took, a.body)
	}
}

// Another process may form what this one waits for.
func TestWaitSeesOtherProcesses(t *testing.T) {
	waiting := quiet(t)
	makeWorkspace(t, waiting, "demo")
	key := secret(t, waiting, allPermissions(), []string{"*"})
	handle, body := conversation(t, "I live in Utrecht.")
	submit(t, waiting, key, handle, body)
	other, err := Open(t.Context(), Options{Store: filepath.Join(storeDir(t, waiting), "memory.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	a := send(t, waiting, request{
		method: "GET", path: demoFormations + "/" + handle, key: key, header: http.Header{"Prefer": {"wait=20"}},
	})
	if f := decode[api.Formation](t, a); f.State != api.FormationFinished {
		t.Errorf("%s", a.body)
	}
}

func TestFormationsByState(t *testing.T) {
	s := quiet(t)
	makeWorkspace(t, s, "demo")
	key := secret(t, s, allPermissions(), []string{"*"})
	var handles []string
	for i := range 5 {
		handle, body := conversation(t, fmt.Sprintf("My locker has the number %d.", i))
		submit(t, s, key, handle, body)
		handles = append([]string{handle}, handles...)
	}
	names := func(a answer) (list []string, next string) {
		page := decode[api.FormationPage](t, a)
		for _, f := range page.Formations {
			list = append(list, f.Handle)
		}
		return list, page.NextPageToken
	}
	if got := walk(t, s, demoFormations, key, 2, names); !slices.Equal(got, handles) {
		t.Errorf("formations %v, want %v, the newest first", got, handles)
	}
	for state, want := range map[string]int{"queued": 5, "running": 0, "finished": 0, "failed": 0} {
		a := send(t, s, request{method: "GET", path: demoFormations + "?state=" + state, key: key})
		if got := len(decode[api.FormationPage](t, a).Formations); got != want {
			t.Errorf("%d formations are %s, want %d", got, state, want)
		}
	}
	// A token of the list of one state isn't one of another's.
	a := send(t, s, request{method: "GET", path: demoFormations + "?state=queued&page_size=2", key: key})
	token := decode[api.FormationPage](t, a).NextPageToken
	a = send(t, s, request{method: "GET", path: demoFormations + "?state=failed&page_token=" + token, key: key})
	problem(t, a, http.StatusBadRequest, api.CodeInvalidRequest)
}

// A failed formation that is sent again is queued again.
func TestSubmitAfterFailure(t *testing.T) {
	s := quiet(t)
	makeWorkspace(t, s, "demo")
	key := secret(t, s, allPermissions(), []string{"*"})
	handle, body := conversation(t, "I live in Utrecht.")
	submit(t, s, key, handle, body)
	job, err := s.store.Lease(t.Context(), "test", now(), now().Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.store.Fail(t.Context(), job, "the model is gone", now()); err != nil {
		t.Fatal(err)
	}
	f := decode[api.Formation](t, send(t, s, request{method: "GET", path: demoFormations + "/" + handle, key: key}))
	if f.State != api.FormationFailed || f.Error != "the model is gone" {
		t.Errorf("formation %+v", f)
	}
	a := submit(t, s, key, handle, body)
	if f := decode[api.Formation](t, a); a.status != http.StatusAccepted || f.State != api.FormationQueued {
		t.Errorf("%d: %s", a.status, a.body)
	}
	if _, err := s.store.Lease(t.Context(), "test", now(), now().Add(time.Minute)); err != nil {
		t.Errorf("it isn't in the queue: %v, %v", err, memory.ErrNoJob)
	}
}
