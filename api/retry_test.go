package api_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lukasa-dev/lukasa/api"
)

// roundTripper is an API without a socket, so that time can be that of a synctest bubble.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answer(r *http.Request, status int, body string, headers ...string) *http.Response {
	h := http.Header{"Content-Type": {"application/json"}}
	for i := 0; i+1 < len(headers); i += 2 {
		h.Set(headers[i], headers[i+1])
	}
	return &http.Response{
		StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), Request: r, ProtoMajor: 1, ProtoMinor: 1,
	}
}

// calls makes one call of each kind, and says whether it may be sent twice.
func calls() map[string]struct {
	repeats bool
	call    func(context.Context, *api.Client) error
} {
	turns := api.SubmitFormation{Turns: []api.Turn{{Role: "user", Content: "hello"}}}
	type row = struct {
		repeats bool
		call    func(context.Context, *api.Client) error
	}
	return map[string]row{
		"GET": {true, func(ctx context.Context, c *api.Client) error {
			_, err := c.WhoAmI.Get(ctx)
			return err
		}},
		"PUT": {true, func(ctx context.Context, c *api.Client) error {
			_, err := c.Formations.Submit(ctx, "notes", turns)
			return err
		}},
		"DELETE": {true, func(ctx context.Context, c *api.Client) error {
			_, err := c.Workspaces.Delete(ctx, "notes")
			return err
		}},
		"recall": {true, func(ctx context.Context, c *api.Client) error {
			_, err := c.Memory.Recall(ctx, "notes", api.RecallRequest{Query: "q"})
			return err
		}},
		"export": {true, func(ctx context.Context, c *api.Client) error {
			return c.Memory.ExportTo(ctx, "notes", io.Discard)
		}},
		"create": {false, func(ctx context.Context, c *api.Client) error {
			_, err := c.Workspaces.Create(ctx, api.CreateWorkspace{Name: "notes"})
			return err
		}},
		"plan": {false, func(ctx context.Context, c *api.Client) error {
			_, err := c.Formations.Plan(ctx, "notes", turns)
			return err
		}},
		"new key": {false, func(ctx context.Context, c *api.Client) error {
			_, err := c.Keys.Create(ctx, api.CreateKey{Label: "k"})
			return err
		}},
	}
}

// Only what may be sent twice is sent twice, with the same body each time, and only after answers that may be others
// the next time.
func TestRepeats(t *testing.T) {
	for name, tt := range calls() {
		for _, status := range []int{400, 401, 403, 404, 409, 413, 422, 429, 500, 501, 502, 503, 504} {
			t.Run(name+" "+strconv.Itoa(status), func(t *testing.T) {
				var bodies []string
				transport := roundTripper(func(r *http.Request) (*http.Response, error) {
					var body []byte
					if r.Body != nil {
						body, _ = io.ReadAll(r.Body)
					}
					bodies = append(bodies, string(body))
					return answer(r, status, `{"code": "internal", "detail": "it is `+strconv.Itoa(status)+`"}`), nil
				})
				err := tt.call(ctx(t), newClient(t, "https://example.com", api.WithTransport(transport)))
				e, ok := errors.AsType[*api.Error](err)
				if !ok || e.Status != status || err.Error() != "it is "+strconv.Itoa(status) {
					t.Fatalf("error = %v (%T), want the API's own", err, err)
				}
				want := 1
				if tt.repeats && (status == 429 || status >= 502) {
					want = 4
				}
				if len(bodies) != want {
					t.Fatalf("%d attempts, want %d", len(bodies), want)
				}
				for _, b := range bodies[1:] {
					if b != bodies[0] {
						t.Errorf("body %q differs from the first, %q", b, bodies[0])
					}
				}
			})
		}
	}
}

func TestRepeatsUntilItWorks(t *testing.T) {
	failures := map[string]func(w http.ResponseWriter){
		"connection closed": func(w http.ResponseWriter) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_ = conn.Close()
			}
		},
		"broken off in the middle": func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"kind": `)
			panic(http.ErrAbortHandler)
		},
		"busy": func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) },
	}
	for name, fail := range failures {
		t.Run(name, func(t *testing.T) {
			var attempts atomic.Int32
			c, mux := setup(t)
			mux.HandleFunc("GET /v1/whoami", func(w http.ResponseWriter, r *http.Request) {
				if attempts.Add(1) < 3 {
					fail(w)
					return
				}
				reply(200, `{"kind": "key"}`)(w, r)
			})
			got, err := c.WhoAmI.Get(ctx(t))
			wantEqual(t, got, err, &api.Identity{Kind: "key"})
			if attempts.Load() != 3 {
				t.Errorf("%d attempts, want 3", attempts.Load())
			}
		})
	}
}

// What the source of a credential says is final, and reaches the caller as it is.
func TestTransportErrorIsNotRepeated(t *testing.T) {
	signedOut, attempts := errors.New("not signed in"), 0
	c := newClient(t, "https://example.com", api.WithTransport(roundTripper(func(*http.Request) (*http.Response, error) {
		attempts++
		return nil, signedOut
	})))
	_, err := c.WhoAmI.Get(ctx(t))
	if !errors.Is(err, signedOut) || errors.Is(err, api.ErrUnreachable) || attempts != 1 {
		t.Errorf("after %d attempts: %v", attempts, err)
	}
}

func TestRetryAfter(t *testing.T) {
	for _, tt := range []struct {
		name     string
		header   string
		attempts int
		min, max time.Duration // of the whole call
		after    time.Duration // what the error says
	}{
		{"seconds", "7", 4, 21 * time.Second, 22 * time.Second, 7 * time.Second},
		{"none", "0", 4, 0, time.Second, 0},
		{"a date to come", "date", 4, 20 * time.Second, 22 * time.Second, 20 * time.Second},
		{"a date gone by", "Wed, 21 Oct 1998 07:28:00 GMT", 4, 0, time.Second, 0},
		{"too long", "31", 1, 0, 0, 31 * time.Second},
		{"negative", "-1", 4, 0, 2 * time.Second, 0},
		{"nonsense", "soon", 4, 0, 2 * time.Second, 0},
		{"huge", "99999999999999999999", 4, 0, 2 * time.Second, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				attempts, began, header := 0, time.Now(), tt.header
				if header == "date" {
					header = began.Add(20 * time.Second).UTC().Format(http.TimeFormat)
				}
				c, err := api.NewClient("https://example.com", api.WithTransport(
					roundTripper(func(r *http.Request) (*http.Response, error) {
						attempts++
						return answer(r, 429, `{"code": "rate_limited"}`, "Retry-After", header), nil
					})))
				if err != nil {
					t.Fatal(err)
				}
				_, err = c.WhoAmI.Get(t.Context())
				e, ok := errors.AsType[*api.Error](err)
				if !ok || !errors.Is(err, api.ErrRateLimited) {
					t.Fatalf("error = %v", err)
				}
				if elapsed := time.Since(began); attempts != tt.attempts || elapsed < tt.min || elapsed > tt.max {
					t.Errorf("%d attempts in %v, want %d in %v to %v", attempts, elapsed, tt.attempts, tt.min, tt.max)
				}
				if tt.header != "date" && e.RetryAfter != tt.after {
					t.Errorf("RetryAfter = %v, want %v", e.RetryAfter, tt.after)
				}
			})
		})
	}
}

// The waits grow, are random, and keep within their upper ends.
func TestBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := make(map[time.Duration]bool)
		for range 20 {
			var at []time.Time
			c, err := api.NewClient("https://example.com",
				api.WithRetry(api.RetryPolicy{Attempts: 6, MinWait: time.Second, MaxWait: 5 * time.Second}),
				api.WithTransport(roundTripper(func(r *http.Request) (*http.Response, error) {
					at = append(at, time.Now())
					return answer(r, 503, ""), nil
				})))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.WhoAmI.Get(t.Context()); !errors.Is(err, api.ErrUnavailable) {
				t.Fatalf("error = %v", err)
			}
			for i, upper := range []time.Duration{1, 2, 4, 5, 5} {
				wait := at[i+1].Sub(at[i])
				if wait < 0 || wait > upper*time.Second {
					t.Errorf("wait %d is %v, want at most %v", i, wait, upper*time.Second)
				}
				seen[wait] = true
			}
		}
		if len(seen) < 50 {
			t.Errorf("100 waits have %d lengths: they are not random", len(seen))
		}
	})
}

// A wait that would outlast the caller's deadline is not begun: the API's error comes at once.
func TestDeadlineBeforeWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := api.NewClient("https://example.com", api.WithTransport(
			roundTripper(func(r *http.Request) (*http.Response, error) {
				return answer(r, 503, `{"code": "unavailable", "detail": "busy"}`, "Retry-After", "10"), nil
			})))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		began := time.Now()
		_, err = c.WhoAmI.Get(ctx)
		if e, ok := errors.AsType[*api.Error](err); !ok || e.Detail != "busy" || time.Since(began) != 0 {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
	})
}

// When the caller's context ends in the middle of an attempt, what the API answered before is told as well.
func TestDeadlineWithinAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		attempts := 0
		c, err := api.NewClient("https://example.com", api.WithTransport(
			roundTripper(func(r *http.Request) (*http.Response, error) {
				if attempts++; attempts == 1 {
					return answer(r, 503, `{"code": "unavailable", "detail": "busy"}`), nil
				}
				<-r.Context().Done()
				return nil, r.Context().Err()
			})))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		_, err = c.WhoAmI.Get(ctx)
		if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, api.ErrUnavailable) || errors.Is(err, api.ErrUnreachable) {
			t.Errorf("error = %v", err)
		}
	})
}

func TestCancelDuringWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := api.NewClient("https://example.com", api.WithTransport(
			roundTripper(func(r *http.Request) (*http.Response, error) {
				return answer(r, 503, "", "Retry-After", "10"), nil
			})))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		began := time.Now()
		_, err = c.WhoAmI.Get(ctx)
		if !errors.Is(err, context.Canceled) || !errors.Is(err, api.ErrUnavailable) || time.Since(began) != time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
	})
}

func TestNoRetries(t *testing.T) {
	attempts := 0
	c := newClient(t, "https://example.com", api.WithRetry(api.RetryPolicy{Attempts: 1}),
		api.WithTransport(roundTripper(func(r *http.Request) (*http.Response, error) {
			attempts++
			return answer(r, 503, ""), nil
		})))
	if _, err := c.WhoAmI.Get(ctx(t)); !errors.Is(err, api.ErrUnavailable) || attempts != 1 {
		t.Errorf("%d attempts: %v", attempts, err)
	}
}
