package proxy

import (
	"context"
)

// MaxReply is the most that a reply's text block may have, in bytes, whatever was asked for.
const MaxReply = 100 * 1024

// Run serves the protocol until the input ends, or ctx does. It returns nil then; a *[StartupError] when the credential
// or the workspace was refused, before anything was answered; [ErrHostGone] when the host closed the output.
func Run(ctx context.Context, options Options) error {
	o := options.withDefaults()
	if err := check(ctx, o); err != nil {
		return err
	}
	return nil
}
