package auth

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestKeyringLimits waits for keyrings that take their time, with and without a person who is told.
func TestKeyringLimits(t *testing.T) {
	fault := errors.New("fault")
	for name, tt := range map[string]struct {
		takes  time.Duration
		person bool
		want   error
		after  time.Duration
		told   int
	}{
		"at once":                 {0, false, fault, 0, 0},
		"slow":                    {2 * time.Second, false, fault, 2 * time.Second, 0},
		"too slow":                {time.Hour, false, ErrKeyringSilent, ringLimit, 0},
		"a person types":          {30 * time.Second, true, fault, 30 * time.Second, 1},
		"a person is quick":       {time.Second, true, fault, time.Second, 0},
		"a person has gone home":  {time.Hour, true, ErrKeyringSilent, ringLimit + ringPatience, 1},
		"the caller has given up": {time.Hour, true, context.DeadlineExceeded, 10 * time.Second, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				told := 0
				r := systemRing{}
				if tt.person {
					r.waiting = func() { told++ }
				}
				ctx := t.Context()
				if errors.Is(tt.want, context.DeadlineExceeded) {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tt.after)
					defer cancel()
				}
				began := time.Now()
				err := r.wait(ctx, func() error { time.Sleep(tt.takes); return fault })
				if took := time.Since(began); !errors.Is(err, tt.want) || took != tt.after || told != tt.told {
					t.Errorf("%v after %s, told %d times; want %v after %s, told %d times", err, took, told, tt.want, tt.after, tt.told)
				}
				time.Sleep(tt.takes) // the call that was left behind ends
			})
		})
	}
}
