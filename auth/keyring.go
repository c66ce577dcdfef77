package auth

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/zalando/go-keyring"
)

// What is wrong with the system's keyring, as errors.Is tells it.
var (
	ErrKeyringAbsent = errors.New("there is no keyring")
	ErrKeyringLocked = errors.New("the keyring is locked")
	ErrKeyringSilent = errors.New("the keyring does not answer")
)

// errRingHasNone says that the keyring works and has no such item.
var errRingHasNone = errors.New("the keyring has no such item")

const (
	ringService = "lukasa"
	// ringLimit is how long a keyring may take: a stopped one would hold up a program for ever.
	ringLimit = 3 * time.Second
	// ringPatience is how long it may take when a person was told, who may have a password to type.
	ringPatience = time.Minute
)

// ring keeps one key of [sealKeySize] bytes an endpoint.
type ring interface {
	get(ctx context.Context, endpoint string) ([]byte, error)
	set(ctx context.Context, endpoint string, key []byte) error
	remove(ctx context.Context, endpoint string) error
}

// systemRing is the keyring of the operating system.
type systemRing struct {
	waiting func() // tells a person that the keyring takes long; nil when nobody is there to be told
}

func (r systemRing) get(ctx context.Context, endpoint string) ([]byte, error) {
	var text string
	err := r.do(ctx, func() (err error) {
		text, err = keyring.Get(ringService, endpoint)
		return err
	})
	if err != nil {
		return nil, err
	}
	key, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(key) != sealKeySize {
		return nil, fmt.Errorf("the item of %s in the keyring is not a key of lukasa's", endpoint)
	}
	return key, nil
}

func (r systemRing) set(ctx context.Context, endpoint string, key []byte) error {
	return r.do(ctx, func() error {
		return keyring.Set(ringService, endpoint, base64.StdEncoding.EncodeToString(key))
	})
}

func (r systemRing) remove(ctx context.Context, endpoint string) error {
	return r.do(ctx, func() error { return keyring.Delete(ringService, endpoint) })
}

// do runs one call of the keyring, when there is one that is of use.
func (r systemRing) do(ctx context.Context, call func() error) error {
	return r.wait(ctx, func() error {
		if err := probeRing(r.waiting != nil); err != nil {
			return err
		}
		return ringError(call())
	})
}

// wait runs a call and waits for it as long as it may take. It can't be cancelled: one that hangs is left behind.
func (r systemRing) wait(ctx context.Context, call func() error) error {
	done := make(chan error, 1)
	go func() { done <- call() }()
	limit := time.NewTimer(ringLimit)
	defer limit.Stop()
	for told := false; ; told = true {
		select {
		case err := <-done:
			return err
		case <-ctx.Done():
			return ctx.Err()
		case <-limit.C:
		}
		if r.waiting == nil {
			return fmt.Errorf("%w within %s; it may be waiting for a password", ErrKeyringSilent, ringLimit)
		}
		if told {
			return fmt.Errorf("%w within %s", ErrKeyringSilent, ringLimit+ringPatience)
		}
		r.waiting()
		limit.Reset(ringPatience)
	}
}

// ringError names what the keyring said.
func ringError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, keyring.ErrNotFound):
		return errRingHasNone
	case errors.Is(err, keyring.ErrUnsupportedPlatform):
		return fmt.Errorf("%w on this system", ErrKeyringAbsent)
	}
	return ringFault(err)
}
