package storetest

import (
	"testing"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

func (f *fixture) wantNoJob(t *testing.T, what string) {
	t.Helper()
	job, err := f.Lease(t.Context(), "another", f.now, f.now.Add(term))
	if job != nil {
		t.Errorf("%s: leased %+v, want nothing", what, job)
	}
	wantErr(t, what, err, memory.ErrNoJob)
}

func testLeaseOrder(t *testing.T, f *fixture) {
	f.wantNoJob(t, "an empty queue")
	f.workspace(t, "a")
	f.workspace(t, "b")
	var want, got []string
	for _, ws := range []string{"a", "b", "b", "a", "a"} {
		want = append(want, f.submit(t, ws, "text", f.now.String()).Handle)
	}
	for range want {
		job := f.lease(t)
		got = append(got, job.Handle)
		if job.Owner != owner || job.Attempt != 1 || len(job.Turns) != 2 {
			t.Errorf("leased %+v", job)
		}
		wantErr(t, "forming", f.Form(t.Context(), job, f.tick(), always(memory.Outcome{})), nil)
	}
	wantEqual(t, "order", got, want)
	f.wantNoJob(t, "all formed")
}

func testLeaseOnePerWorkspace(t *testing.T, f *fixture) {
	f.workspace(t, "a")
	f.workspace(t, "b")
	f.submit(t, "a", "a1")
	second := f.submit(t, "a", "a2")
	other := f.submit(t, "b", "b1")
	first := f.lease(t)
	wantEqual(t, "second lease", f.lease(t).Handle, other.Handle)
	f.wantNoJob(t, "the second of a leased workspace")
	running, err := f.Formation(t.Context(), "a", first.Handle)
	if err != nil || running.State != api.FormationRunning || running.Attempts != 1 {
		t.Errorf("a leased formation reads %+v, %v", running, err)
	}
	wantErr(t, "forming", f.Form(t.Context(), first, f.tick(), always(memory.Outcome{})), nil)
	wantEqual(t, "third lease", f.lease(t).Handle, second.Handle)
}

func testLeaseExpiry(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	f.submit(t, "demo", "one")
	f.submit(t, "demo", "two")
	first := f.lease(t)
	end := f.now.Add(term)
	if _, err := f.Lease(t.Context(), "another", end.Add(-time.Microsecond), end.Add(term)); err == nil {
		t.Error("a lease is taken before it runs out")
	}
	second, err := f.Lease(t.Context(), "another", end, end.Add(term))
	if err != nil || second.Handle != first.Handle || second.Attempt != 2 || second.Owner != "another" {
		t.Fatalf("taking over: %+v, %v; want the same at its second attempt", second, err)
	}
	// The time has run out for neither: nobody took it.
	wantErr(t, "forming late", f.Form(t.Context(), second, end.Add(2*term), always(memory.Outcome{})), nil)
}

func testLeaseLost(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	s := f.submit(t, "demo", "one")
	lost := f.lease(t)
	f.now = f.now.Add(2 * term)
	current := f.lease(t) // the same owner, at a second attempt
	ctx := t.Context()
	check := func(when string, job *memory.Job) {
		t.Helper()
		wantErr(t, when+": renewing", f.Renew(ctx, job, f.now.Add(term)), memory.ErrLeaseLost)
		wantErr(t, when+": postponing", f.Postpone(ctx, job, "x", f.now), memory.ErrLeaseLost)
		wantErr(t, when+": failing", f.Fail(ctx, job, "x", f.now), memory.ErrLeaseLost)
		wantErr(t, when+": forming", f.Form(ctx, job, f.now, always(passagesOf(s, f.now))), memory.ErrLeaseLost)
	}
	check("taken over", lost)
	stranger := *current
	stranger.Owner = "stranger"
	check("another's", &stranger)
	wantEqual(t, "counts", f.counts(t, "demo"), api.WorkspaceCounts{Formations: 1})
	running, err := f.Formation(ctx, "demo", s.Handle)
	if err != nil || running.State != api.FormationRunning || running.Error != "" {
		t.Errorf("after that it reads %+v, %v", running, err)
	}
	wantErr(t, "forming by its owner", f.Form(ctx, current, f.now, always(passagesOf(s, f.now))), nil)
	check("ended", current)
	wantEqual(t, "counts", f.counts(t, "demo"), api.WorkspaceCounts{Passages: 1, Formations: 1})
}

func testRenew(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	f.submit(t, "demo", "one")
	job := f.lease(t)
	wantErr(t, "renewing", f.Renew(t.Context(), job, f.now.Add(3*term)), nil)
	f.now = f.now.Add(2 * term)
	f.wantNoJob(t, "within the renewed lease")
	f.now = f.now.Add(2 * term)
	wantErr(t, "renewing what has run out", f.Renew(t.Context(), job, f.now.Add(term)), nil)
	f.wantNoJob(t, "renewed late")
}

func testRelease(t *testing.T, f *fixture) {
	f.workspace(t, "a")
	f.workspace(t, "b")
	f.submit(t, "a", "one")
	f.submit(t, "b", "two")
	mine := f.lease(t)
	other, err := f.Lease(t.Context(), "another", f.tick(), f.now.Add(term))
	wantErr(t, "leasing", err, nil)
	wantErr(t, "releasing", f.Release(t.Context(), owner), nil)
	wantErr(t, "releasing nothing", f.Release(t.Context(), owner), nil)
	back, err := f.Formation(t.Context(), "a", mine.Handle)
	if err != nil || back.State != api.FormationQueued {
		t.Errorf("handed back it reads %+v, %v", back, err)
	}
	wantErr(t, "forming what was handed back", f.Form(t.Context(), mine, f.now, always(memory.Outcome{})), memory.ErrLeaseLost)
	wantErr(t, "forming another's", f.Form(t.Context(), other, f.now, always(memory.Outcome{})), nil)
	again, err := f.Lease(t.Context(), "third", f.now, f.now.Add(term))
	if err != nil || again.Handle != mine.Handle || again.Attempt != 1 {
		t.Errorf("leasing what was handed back: %+v, %v; want its first attempt", again, err)
	}
}

func testPostpone(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	s := f.submit(t, "demo", "one")
	next := f.submit(t, "demo", "two")
	job := f.lease(t)
	at := f.now.Add(time.Hour)
	wantErr(t, "postponing", f.Postpone(t.Context(), job, "the model is away", at), nil)
	put, err := f.Formation(t.Context(), "demo", s.Handle)
	if err != nil || put.State != api.FormationQueued || put.Error != "the model is away" || put.Attempts != 1 {
		t.Errorf("put off it reads %+v, %v", put, err)
	}
	job = f.lease(t) // the other steps forward
	wantEqual(t, "leased meanwhile", job.Handle, next.Handle)
	wantErr(t, "forming", f.Form(t.Context(), job, f.now, always(memory.Outcome{})), nil)
	f.wantNoJob(t, "before its time")
	f.now = at
	again, err := f.Lease(t.Context(), owner, at, at.Add(term))
	if err != nil || again.Handle != s.Handle || again.Attempt != 2 {
		t.Fatalf("leasing at its time: %+v, %v", again, err)
	}
	wantErr(t, "forming", f.Form(t.Context(), again, f.tick(), always(memory.Outcome{})), nil)
	done, err := f.Formation(t.Context(), "demo", s.Handle)
	if err != nil || done.State != api.FormationFinished || done.Error != "" || done.Attempts != 2 {
		t.Errorf("finished it reads %+v, %v", done, err)
	}
}

func testFail(t *testing.T, f *fixture) {
	f.workspace(t, "demo")
	f.submit(t, "demo", "one")
	next := f.submit(t, "demo", "two")
	wantErr(t, "failing", f.Fail(t.Context(), f.lease(t), "no", f.tick()), nil)
	wantEqual(t, "the next", f.lease(t).Handle, next.Handle)
	if depth, _, err := f.QueueDepth(t.Context()); depth != 1 || err != nil {
		t.Errorf("queue: %d, %v; want 1: a failed formation has ended", depth, err)
	}
}

func testQueueDepth(t *testing.T, f *fixture) {
	want := func(depth int, oldest time.Time) {
		t.Helper()
		gotDepth, gotOldest, err := f.QueueDepth(t.Context())
		if err != nil || gotDepth != depth || !gotOldest.Equal(oldest) {
			t.Errorf("queue: %d since %v, %v; want %d since %v", gotDepth, gotOldest, err, depth, oldest)
		}
	}
	want(0, time.Time{})
	f.workspace(t, "a")
	f.workspace(t, "b")
	first := f.submit(t, "a", "one")
	second := f.submit(t, "b", "two")
	want(2, first.SubmittedAt)
	job := f.lease(t)
	want(2, first.SubmittedAt)
	wantErr(t, "forming", f.Form(t.Context(), job, f.tick(), always(memory.Outcome{})), nil)
	want(1, second.SubmittedAt)
}
