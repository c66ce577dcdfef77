package server

import (
	"fmt"
	"math"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/lukasa-dev/lukasa/api"
)

// limit says how often one address may call a route.
type limit int

const (
	limitNone   limit = iota // routes that take a credential, and those that load balancers ask
	limitOpen                // routes without a credential
	limitSignIn              // routes that sign somebody in, or make something for those who may not be anybody
)

// allowance is how often, and how often at once, an address may call.
type allowance struct {
	every time.Duration
	burst int
}

// limits counts the calls of addresses. Those of IPv6 are taken together by the network that one customer has.
type limits struct {
	of map[limit]allowance

	mu      sync.Mutex
	callers map[caller]*rate.Limiter
}

type caller struct {
	limit   limit
	network netip.Prefix
}

// maxCallers bounds the memory of callers. Forgetting all of them lets some call more often, no more.
const maxCallers = 10_000

func newLimits() *limits {
	return &limits{of: map[limit]allowance{
		limitOpen:   {every: 100 * time.Millisecond, burst: 200},
		limitSignIn: {every: time.Second, burst: 60},
	}}
}

// check refuses a call of an address that calls too often. Calls in process have no address and no limit.
func (l *limits) check(c *call) error {
	allowed, ok := l.of[c.route.limit]
	if local, _ := c.ctx().Value(localKey{}).(bool); local || !ok {
		return nil
	}
	limiter := l.limiter(caller{c.route.limit, networkOf(c.address(c.r))}, allowed)
	at := c.clock()
	reservation := limiter.ReserveN(at, 1)
	wait := reservation.DelayFrom(at)
	left := max(math.Floor(limiter.TokensAt(at)), 0)
	seconds := int(math.Ceil(wait.Seconds()))
	h := c.w.Header() // draft-ietf-httpapi-ratelimit-headers
	h.Set("RateLimit-Policy", fmt.Sprintf(`"address";q=%d;w=%d`, allowed.burst, int(math.Ceil((allowed.every*time.Duration(allowed.burst)).Seconds()))))
	h.Set("RateLimit", fmt.Sprintf(`"address";r=%d;t=%d`, int(left), seconds))
	if wait == 0 {
		return nil
	}
	reservation.CancelAt(at)
	e := newError(api.CodeRateLimited, "too many requests from this address: wait %d s", seconds)
	e.RetryAfter = wait
	return e
}

func (l *limits) limiter(k caller, a allowance) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.callers == nil || len(l.callers) >= maxCallers {
		l.callers = make(map[caller]*rate.Limiter)
	}
	if l.callers[k] == nil {
		l.callers[k] = rate.NewLimiter(rate.Every(a.every), a.burst)
	}
	return l.callers[k]
}

// address is where a request comes from, with a port, as far as it is known. What comes before the last entry of the
// header is what the caller made up, or what proxies further away say, and those can't be told apart.
func (s *Server) address(r *http.Request) string {
	entries := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	last := strings.TrimSpace(entries[len(entries)-1])
	if !s.behind || last == "" {
		return r.RemoteAddr
	}
	return net.JoinHostPort(strings.Trim(last, "[]"), "0")
}

// networkOf is who calls: an IPv4 address, or the /64 of an IPv6 one. All whose address can't be read are one.
func networkOf(remote string) netip.Prefix {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return netip.Prefix{}
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		return netip.Prefix{}
	}
	address = address.Unmap().WithZone("")
	bits := 64
	if address.Is4() {
		bits = 32
	}
	network, err := address.Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return network
}
