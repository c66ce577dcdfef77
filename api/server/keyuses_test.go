package server

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/memory"
)

// touches records the calls of TouchKey, which take a second each.
type touches struct {
	memory.KeyStore
	err error

	mu  sync.Mutex
	ids []string
}

func (k *touches) TouchKey(ctx context.Context, id string, _ time.Time) error {
	time.Sleep(time.Second)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ids = append(k.ids, id)
	return errors.Join(k.err, ctx.Err())
}

func TestUsesAreRecordedOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &touches{}
		uses := keyUses{store: store, fail: func(err error) { t.Error(err) }}
		key := api.Key{ID: "key_a"}
		for range 100 {
			before := time.Now()
			uses.touch(key, time.Now())
			if time.Since(before) != 0 {
				t.Fatal("the caller waits for the store")
			}
			time.Sleep(time.Second)
		}
		uses.touch(api.Key{ID: "key_b"}, time.Now())
		used := time.Now().Add(-30 * time.Second)
		uses.touch(api.Key{ID: "key_c", LastUsedAt: &used}, time.Now()) // another process recorded it
		uses.close()
		uses.touch(api.Key{ID: "key_d"}, time.Now())
		if got := fmt.Sprint(store.ids); got != "[key_a key_a key_b]" {
			t.Errorf("recorded %s", got)
		}
	})
}

func TestUsesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		uses := keyUses{store: &touches{}, fail: func(err error) { t.Error(err) }}
		for i := range maxUses + 5 {
			uses.touch(api.Key{ID: fmt.Sprint(i)}, time.Now())
		}
		if got := len(uses.last); got > maxUses {
			t.Errorf("%d uses are kept", got)
		}
		uses.close()
	})
}

func TestUseThatCannotBeRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var failed error
		uses := keyUses{store: &touches{err: memory.ErrNotFound}, fail: func(err error) { failed = err }}
		uses.touch(api.Key{ID: "key_a"}, time.Now())
		uses.close()
		if !errors.Is(failed, memory.ErrNotFound) {
			t.Errorf("the failure is %v", failed)
		}
	})
}
