package auth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

// device is the device authorization grant (RFC 8628).
func (l Login) device(ctx context.Context, config *oauth2.Config) (*oauth2.Token, error) {
	d, err := config.DeviceAuth(ctx)
	if err != nil {
		return nil, fmt.Errorf("asking for a code to type: %w", oauthError(err))
	}
	if err := checkDevice(d, l.AllowHTTP); err != nil {
		return nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Open this address on any device, and type the code %s there:\n\n  %s\n", printable(d.UserCode, 60), d.VerificationURI)
	if d.VerificationURIComplete != "" {
		fmt.Fprintf(&b, "\nor open this one, and check that it shows the same code:\n\n  %s\n", d.VerificationURIComplete)
	}
	l.Tell(b.String())
	return l.poll(ctx, config, d)
}

func checkDevice(d *oauth2.DeviceAuthResponse, allowHTTP bool) error {
	if d.DeviceCode == "" || d.UserCode == "" {
		return errors.New("asking for a code to type: the answer has none")
	}
	for _, address := range []string{d.VerificationURI, d.VerificationURIComplete} {
		u, err := url.Parse(address)
		switch {
		case address == "" && d.VerificationURI != "":
			continue
		case err != nil || u.Host == "" || printable(address, len(address)) != address:
			return errors.New("asking for a code to type: the answer has no address to type it at")
		}
		if err := checkScheme(u, allowHTTP); err != nil {
			return fmt.Errorf("asking for a code to type: %w", err)
		}
	}
	return nil
}

// poll asks for the tokens until the person has decided or the code has expired. Neither a network that is away nor a
// server that fails for a while ends it (RFC 8628, section 3.5).
func (l Login) poll(ctx context.Context, config *oauth2.Config, d *oauth2.DeviceAuthResponse) (*oauth2.Token, error) {
	if d.Interval <= 0 {
		d.Interval = 5
	}
	for told := false; ; told = true {
		token, err := config.DeviceAccessToken(ctx, d)
		if err == nil {
			return token, nil
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		var answered *grantError
		switch err = oauthError(err, d.DeviceCode); {
		case !d.Expiry.IsZero() && !time.Now().Before(d.Expiry), errors.As(err, &answered) && answered.code == "expired_token":
			return nil, errors.New("the code has expired: start again")
		case answered != nil && answered.code == "access_denied":
			return nil, errors.New("signing in was refused on the page")
		case answered != nil && !answered.transient():
			return nil, fmt.Errorf("waiting for the sign-in: %w", err)
		}
		if !told {
			l.Tell("Still waiting, though asking did not work just now: " + err.Error())
		}
		d.Interval = min(d.Interval*2, 30) // the RFC asks for fewer requests after a failure
	}
}
