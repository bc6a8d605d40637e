// Package wire is how the services speak: small JSON bodies over HTTP. A refusal is a status and
// a body {"error": CODE}.
package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"dlsim/system/host"

	json "github.com/goccy/go-json"
)

// maxRequest bounds a request's body, maxAnswer an answer's, in bytes.
const (
	maxRequest = 16 << 10
	maxAnswer  = 64 << 20
)

// BadRequest is the code of a request that no handler can mean.
const BadRequest = "BAD_REQUEST"

// RequestIDHeader carries the id that ties a forward to the payment it caused.
const RequestIDHeader = "X-Request-Id"

// Refusal is the body of every answer that is not a success.
type Refusal struct {
	Error string `json:"error"`
}

// Client sends requests over one host's transport.
type Client struct{ transport http.RoundTripper }

// NewClient returns the client of h. It follows no redirects and has no timeout of its own:
// deadlines are the caller's context, on the host's clock.
func NewClient(h host.Host) *Client { return &Client{transport: h.Transport()} }

// Call is one request.
type Call struct {
	Method    string
	Base      string // whom it goes to, as a URL without a path: "http://lockd-1"
	Path      string // at Base, from its slash on
	Body      any    // sent as JSON; nil sends none
	Bearer    string // credential; "" sends none
	RequestID string // "" sends none
}

// request is what goes to the transport, with all that it points to in one piece of memory: the
// system's work is mostly requests.
type request struct {
	http.Request
	to   url.URL
	body payload
}

// Do sends c once and decodes the answer's body into answer, whatever its status. An error says
// that there was no intelligible answer: the request may have been handled all the same.
func (c *Client) Do(ctx context.Context, call Call, answer any) (status int, err error) {
	r, err := call.request(ctx)
	if err != nil {
		return 0, fmt.Errorf("encode %s %s%s: %w", call.Method, call.Base, call.Path, err)
	}
	resp, err := c.transport.RoundTrip(&r.Request)
	if err != nil {
		return 0, fmt.Errorf("%s %s%s: %w", call.Method, call.Base, call.Path, err)
	}
	defer resp.Body.Close()
	b, err := read(resp.Body, resp.ContentLength, maxAnswer)
	if err != nil {
		return 0, fmt.Errorf("read answer of %s %s%s: %w", call.Method, call.Base, call.Path, err)
	}
	if err := json.Unmarshal(b, answer); err != nil {
		return 0, fmt.Errorf("decode answer of %s %s%s: %w", call.Method, call.Base, call.Path, err)
	}
	return resp.StatusCode, nil
}

// request makes what is to be sent. http.NewRequest would parse a URL and make a header each time.
func (c *Call) request(ctx context.Context) (*request, error) {
	r := &request{}
	r.to.Scheme, r.to.Host, _ = strings.Cut(c.Base, "://")
	r.to.Path = c.Path
	asked := http.Request{
		Method: c.Method, URL: &r.to, Host: r.to.Host, Header: c.header(),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	if c.Body != nil {
		b, err := json.Marshal(c.Body)
		if err != nil {
			return nil, err
		}
		// There is no GetBody, so no layer below can send the body a second time (ADR-007 D4).
		r.body.Reset(b)
		asked.Body, asked.ContentLength = &r.body, int64(len(b))
	}
	r.Request = *asked.WithContext(ctx)
	return r, nil
}

var contentJSON = []string{"application/json"}

// The headers of nearly every request, with a body and without. They are shared: a transport must
// not change what it is given.
var (
	headerJSON = http.Header{"Content-Type": contentJSON}
	headerNone = http.Header{}
)

// header returns what the request's header is to be.
func (c *Call) header() http.Header {
	if c.Bearer == "" && c.RequestID == "" {
		if c.Body == nil {
			return headerNone
		}
		return headerJSON
	}
	h := make(http.Header, 3)
	if c.Body != nil {
		h["Content-Type"] = contentJSON
	}
	if c.Bearer != "" {
		h["Authorization"] = []string{"Bearer " + c.Bearer}
	}
	if c.RequestID != "" {
		h[RequestIDHeader] = []string{c.RequestID}
	}
	return h
}

// payload is a request's body.
type payload struct{ bytes.Reader }

// Close does nothing: the bytes are the request's own.
func (*payload) Close() error { return nil }

// errTooLong is a body beyond its limit.
var errTooLong = errors.New("body too long")

// read reads a whole body of at most limit bytes. A stated length saves growing a buffer, and what
// is in memory already is taken as it is: nobody here keeps or changes it.
func read(body io.Reader, length, limit int64) ([]byte, error) {
	if length > limit {
		return nil, errTooLong
	}
	if whole, ok := body.(interface{ Bytes() []byte }); ok && length >= 0 {
		return whole.Bytes(), nil
	}
	if length >= 0 {
		b := make([]byte, length)
		_, err := io.ReadFull(body, b)
		return b, err
	}
	b, err := io.ReadAll(io.LimitReader(body, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = errTooLong
	}
	return b, err
}

// Decode reads a request's body into v, or answers 400 and returns false.
func Decode(w http.ResponseWriter, r *http.Request, v any) bool {
	b, err := read(r.Body, r.ContentLength, maxRequest)
	if err != nil || json.Unmarshal(b, v) != nil {
		Refuse(w, http.StatusBadRequest, BadRequest)
		return false
	}
	return true
}

// Reply answers with v as JSON. v is one of our own flat structs; one that cannot be encoded is a bug.
func Reply(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic("wire: encode answer: " + err.Error())
	}
	w.Header()["Content-Type"] = contentJSON
	w.WriteHeader(status)
	_, _ = w.Write(b) // the client may be gone; there is nobody to tell
}

// Refuse answers with a code.
func Refuse(w http.ResponseWriter, status int, code string) {
	Reply(w, status, Refusal{Error: code})
}

// ValidID reports whether s can name a payout, an account, a lock or an owner: 1 to 64 letters,
// digits, dots, dashes and underscores. Such a name needs no escaping in a path.
func ValidID(s string) bool {
	if len(s) == 0 || len(s) > 64 {
		return false
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
		case c == '.' && i > 0: // a path must not begin with a dot: "." and ".." are cleaned away
		default:
			return false
		}
	}
	return true
}
