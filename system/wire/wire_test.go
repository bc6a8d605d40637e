package wire_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"dlsim/sim/testhost"
	"dlsim/system/wire"
)

func TestAnIDNeedsNoEscapingInAPath(t *testing.T) {
	for _, id := range []string{"a", "payout-7", "acc_1", "A.b-9", strings.Repeat("x", 64)} {
		if !wire.ValidID(id) {
			t.Errorf("%q refused", id)
		}
	}
	for _, id := range []string{"", ".", "..", ".a", "a/b", "a b", "ä", "a%2f", "a?b", strings.Repeat("x", 65)} {
		if wire.ValidID(id) {
			t.Errorf("%q accepted", id)
		}
	}
}

func TestARequestCannotBeSentTwiceByALayerBelow(t *testing.T) {
	net := testhost.New()
	h := net.Host("client")
	var sent *http.Request
	h.BeforeSend = func(r *http.Request) error { sent = r; return nil }
	_ = net.Host("server").Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var v map[string]int
		if wire.Decode(w, r, &v) {
			wire.Reply(w, http.StatusTeapot, v)
		}
	}))
	var answer map[string]int
	status, err := wire.NewClient(h).Do(context.Background(), wire.Call{
		Method: http.MethodPost, Base: "http://server", Path: "/x", Body: map[string]int{"a": 1}, Bearer: "k", RequestID: "r",
	}, &answer)
	if err != nil || status != http.StatusTeapot || answer["a"] != 1 {
		t.Fatal(status, answer, err)
	}
	if sent.GetBody != nil {
		t.Error("the body can be had a second time")
	}
	if sent.Header.Get("Authorization") != "Bearer k" || sent.Header.Get(wire.RequestIDHeader) != "r" {
		t.Error(sent.Header)
	}
}

func TestARedirectIsAnAnswerAndIsNotFollowed(t *testing.T) {
	net := testhost.New()
	calls := 0
	_ = net.Host("server").Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		w.Header().Set("Location", "http://server/again")
		wire.Reply(w, http.StatusTemporaryRedirect, wire.Refusal{})
	}))
	var a wire.Refusal
	status, err := wire.NewClient(net.Host("client")).Do(context.Background(), wire.Call{Method: http.MethodPost, Base: "http://server", Path: "/", Body: a}, &a)
	if err != nil || status != http.StatusTemporaryRedirect || calls != 1 {
		t.Error(status, err, calls)
	}
}

func TestABodyThatIsNotOursIs400(t *testing.T) {
	for _, body := range []string{"", "{", "[]", `{"a":1} x`, `{"a":"` + strings.Repeat("x", 20<<10) + `"}`} {
		w := httptest.NewRecorder()
		var v struct{ A any }
		if wire.Decode(w, httptest.NewRequest("POST", "/", strings.NewReader(body)), &v) || w.Code != http.StatusBadRequest {
			t.Errorf("%.20q: %d", body, w.Code)
		}
	}
}
