package web

import (
	"net/http"
	"time"
)

type own struct{ Timeout time.Duration }

type wrapped struct{ http.Client }

func clients(t http.RoundTripper) {
	c := &http.Client{Transport: t}
	c.Timeout = time.Second                   // want `http\.Client\.Timeout is not allowed here`
	_ = http.Client{Transport: t, Timeout: 1} // want `http\.Client\.Timeout is not allowed here`
	_ = &http.Client{t, nil, nil, 1}          // want `http\.Client\.Timeout is not allowed here`
	_ = []*http.Client{{Timeout: 1}}          // want `http\.Client\.Timeout is not allowed here`
	var w wrapped
	w.Timeout = 1                       // want `http\.Client\.Timeout is not allowed here`
	_ = http.DefaultClient              // want `net/http\.DefaultClient is not allowed here: use a client over the host's Transport`
	_ = http.DefaultTransport           // want `net/http\.DefaultTransport is not allowed here`
	_, _ = http.Get("x")                // want `net/http\.Get is not allowed here`
	_, _ = http.Post("x", "", nil)      // want `net/http\.Post is not allowed here`
	_ = http.ListenAndServe("", nil)    // want `net/http\.ListenAndServe is not allowed here: use the host's Serve`
	_ = http.TimeoutHandler(nil, 1, "") // want `net/http\.TimeoutHandler is not allowed here`
	http.HandleFunc("/", nil)           // want `net/http\.HandleFunc is not allowed here`

	_ = own{Timeout: 1}
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(http.ResponseWriter, *http.Request) {})
	h := http.Header{}
	_ = h.Get("x")
	_, _ = c.Get("x")
}
