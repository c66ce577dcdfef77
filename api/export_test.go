package api_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-dev/lukasa/api"
)

const exportLines = `{"type":"workspace","data":{"name":"notes"}}
{"type":"passage","data":{"id":"ps_1","extra":1.50}}
`

func exported(t *testing.T, c *api.Client) (types []string, err error) {
	t.Helper()
	for record, err := range c.Memory.Export(ctx(t), "notes") {
		if err != nil {
			return types, err
		}
		types = append(types, record.Type+" "+string(record.Data))
	}
	return types, nil
}

func TestExport(t *testing.T) {
	want := []string{`workspace {"name":"notes"}`, `passage {"id":"ps_1","extra":1.50}`}
	for _, body := range []string{exportLines, strings.TrimSuffix(exportLines, "\n"), strings.ReplaceAll(exportLines, "\n", "\r\n\r\n")} {
		c, mux := setup(t)
		mux.HandleFunc("GET /v1/workspaces/notes/export", reply(200, body))
		got, err := exported(t, c)
		wantEqual(t, got, err, want)
	}
}

func TestExportTo(t *testing.T) {
	c, mux := setup(t)
	mux.HandleFunc("GET /v1/workspaces/notes/export", reply(200, exportLines))
	var b bytes.Buffer
	err := c.Memory.ExportTo(ctx(t), "notes", &b)
	wantEqual(t, b.String(), err, exportLines)
}

// Half an export must not pass for a whole one.
func TestExportBrokenOff(t *testing.T) {
	c, mux := setup(t)
	mux.HandleFunc("GET /v1/workspaces/notes/export", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, exportLines)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	got, err := exported(t, c)
	if !errors.Is(err, api.ErrUnreachable) || len(got) != 2 {
		t.Errorf("Export: %d records, %v", len(got), err)
	}
	if err := c.Memory.ExportTo(ctx(t), "notes", io.Discard); !errors.Is(err, api.ErrUnreachable) {
		t.Errorf("ExportTo: %v", err)
	}
}

func TestExportErrors(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		body   string
		want   error
	}{
		{"refused", 403, `{"code": "permission_denied"}`, api.ErrPermissionDenied},
		{"a web page", 200, "<html>\nsign in\n</html>", errAny},
		{"cut", 200, `{"type": "work`, errAny},
		{"a record over the limit", 200, `{"type": "` + strings.Repeat("a", 1000) + `"}`, errAny},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, mux := setup(t, api.WithResponseLimit(500))
			mux.HandleFunc("GET /v1/workspaces/notes/export", reply(tt.status, tt.body))
			if _, err := exported(t, c); err == nil || tt.want != errAny && !errors.Is(err, tt.want) {
				t.Errorf("error = %v, want %v", err, tt.want)
			}
		})
	}
}

// The limit of an answer is one of a record here: an export may be of any size.
func TestExportIsNotLimited(t *testing.T) {
	c, mux := setup(t, api.WithResponseLimit(1000))
	mux.HandleFunc("GET /v1/workspaces/notes/export", reply(200, strings.Repeat(exportLines, 500)))
	got, err := exported(t, c)
	if err != nil || len(got) != 1000 {
		t.Errorf("%d records, %v", len(got), err)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func TestExportToFullDisk(t *testing.T) {
	c, mux := setup(t)
	mux.HandleFunc("GET /v1/workspaces/notes/export", reply(200, exportLines))
	full := errors.New("no space left")
	err := c.Memory.ExportTo(ctx(t), "notes", failingWriter{full})
	if !errors.Is(err, full) || errors.Is(err, api.ErrUnreachable) || !strings.HasPrefix(err.Error(), "writing the export") {
		t.Errorf("error = %v", err)
	}
}

// Who stops reading an export ends the request.
func TestExportStopsEarly(t *testing.T) {
	gone := make(chan struct{})
	c, mux := setup(t)
	mux.HandleFunc("GET /v1/workspaces/notes/export", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, exportLines)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(gone)
	})
	var got []api.ExportRecord
	for record, err := range c.Memory.Export(ctx(t), "notes") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, record)
		break
	}
	want := []api.ExportRecord{{Type: "workspace", Data: json.RawMessage(`{"name":"notes"}`)}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	select {
	case <-gone:
	case <-ctx(t).Done():
		t.Error("the request goes on")
	}
}
