package server

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"strings"
	"time"

	"github.com/gorilla/mux"

	"example.com/iiifd/admission"
	"example.com/iiifd/cache"
	"example.com/iiifd/render"
)

// OperatorDeps is what the operator listener shows and changes.
type OperatorDeps struct {
	Admission *admission.Controller
	Cache     *cache.Cache
	// Metrics answers /metrics.
	Metrics http.Handler
	// Public is the public server: its readiness, and what drain stops.
	Public *Server
	// Warmer makes answers ahead of need; nil for none.
	Warmer *render.Warmer
	// Listener is what is served on; nil binds the configured address.
	Listener net.Listener
	Log      *slog.Logger
}

// Operator is the listener for the people who run the server. It needs no
// permit and shares nothing with the public listener but what it shows.
type Operator struct {
	deps     OperatorDeps
	token    string
	made     string // the token's file, where it was made at start
	loopback bool
	http     *http.Server
	listener net.Listener
	served   chan error
}

// OpenOperator serves in the background, on the configured address where
// deps bring no listener. A listener that others can reach needs a token
// file.
func OpenOperator(ctx context.Context, cfg OperatorConfig, deps OperatorDeps) (*Operator, error) {
	o := &Operator{deps: deps, loopback: cfg.private(), listener: deps.Listener, served: make(chan error, 1)}
	var err error
	if o.listener == nil {
		if o.listener, err = cfg.Bind(ctx); err != nil {
			return nil, err
		}
	}
	token, file, err := cfg.token()
	if err != nil {
		return nil, errors.Join(err, o.listener.Close())
	}
	o.token = token
	if cfg.TokenFile == "" {
		o.made = file
	}
	o.http = &http.Server{
		Handler: o.routes(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute,
		ErrorLog: slog.NewLogLogger(deps.Log.Handler(), slog.LevelDebug),
	}
	deps.Log.InfoContext(ctx, "operator listener", "address", o.listener.Addr().String(), "token_file", file)
	go func() { o.served <- o.http.Serve(o.listener) }()
	return o, nil
}

// Address returns the address listened on.
func (o *Operator) Address() net.Addr { return o.listener.Addr() }

// Failed delivers the error that ended serving.
func (o *Operator) Failed() <-chan error { return o.served }

// Close ends the listener and its connections, and removes the token's file
// where it was made at start and is still this one's.
func (o *Operator) Close() error {
	var err error
	if text, unread := os.ReadFile(o.made); unread == nil && strings.TrimSpace(string(text)) == o.token {
		err = os.Remove(o.made)
	}
	return errors.Join(err, o.http.Close())
}

func (o *Operator) routes() http.Handler {
	r := mux.NewRouter()
	public := o.deps.Public
	health := func(h handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _ = h(w, r) }) // These report nothing that is not answered.
	}
	r.Handle("/livez", health(public.live)).Methods(http.MethodGet, http.MethodHead)
	r.Handle("/readyz", health(public.ready)).Methods(http.MethodGet, http.MethodHead)
	r.Handle("/healthz", health(public.ready)).Methods(http.MethodGet, http.MethodHead)

	read := r.NewRoute().Subrouter()
	read.Use(o.authorize(!o.loopback))
	read.Handle("/metrics", o.deps.Metrics).Methods(http.MethodGet)
	read.HandleFunc("/admission", o.snapshot).Methods(http.MethodGet)
	read.HandleFunc("/admission/decodes", o.decodes).Methods(http.MethodGet)
	read.HandleFunc("/admission/decisions", o.decisions).Methods(http.MethodGet)
	read.HandleFunc("/cache", o.cacheStat).Methods(http.MethodGet)
	read.HandleFunc("/", o.index).Methods(http.MethodGet)
	profiles := read.Methods(http.MethodGet, http.MethodHead, http.MethodPost).Subrouter() // POST asks for symbols.
	profiles.PathPrefix("/debug/pprof/cmdline").HandlerFunc(pprof.Cmdline)
	profiles.PathPrefix("/debug/pprof/profile").HandlerFunc(pprof.Profile)
	profiles.PathPrefix("/debug/pprof/symbol").HandlerFunc(pprof.Symbol)
	profiles.PathPrefix("/debug/pprof/trace").HandlerFunc(pprof.Trace)
	profiles.PathPrefix("/debug/pprof").HandlerFunc(pprof.Index)

	change := r.NewRoute().Subrouter()
	change.Use(o.authorize(true))
	change.HandleFunc("/admission/decodes/{id}", o.cancel).Methods(http.MethodDelete)
	change.HandleFunc("/admission/drain", o.drain).Methods(http.MethodPost)
	change.HandleFunc("/cache/purge", o.purge).Methods(http.MethodPost)
	if o.deps.Warmer != nil {
		read.HandleFunc("/cache/warm", o.warmStatus).Methods(http.MethodGet)
		change.HandleFunc("/cache/warm", o.warm).Methods(http.MethodPost)
		change.HandleFunc("/cache/warm", o.warmForget).Methods(http.MethodDelete)
	}
	return r
}

// authorize asks for the token where it is needed.
func (o *Operator) authorize(needed bool) mux.MiddlewareFunc {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			given := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
			if (needed || o.foreign(r)) && subtle.ConstantTimeCompare([]byte(given), []byte(o.token)) != 1 {
				w.Header().Set("WWW-Authenticate", "Bearer")
				newProblem(http.StatusUnauthorized, "token_required", "Send the operator token as a bearer token.").write(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// foreign tells whether a request to a loopback address was made under a name
// that is not the machine's own. A web page whose name resolves to 127.0.0.1
// makes the browser of whoever looks at it send such requests, and may read
// the answers (DNS rebinding). No browser reaches a socket.
func (o *Operator) foreign(r *http.Request) bool {
	if o.listener.Addr().Network() == "unix" {
		return false
	}
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	host = strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
	return host != "localhost" && !strings.HasSuffix(host, ".localhost") && net.ParseIP(host) == nil
}

func (o *Operator) index(w http.ResponseWriter, _ *http.Request) {
	_ = plain(w, "iiifd operator listener\n\nGET    /admission            lanes, budget, queue, pressure, quotas\n"+
		"GET    /admission/decodes    what runs now\nDELETE /admission/decodes/ID stops one of them\nGET    /admission/decisions  the last decisions\n"+
		"POST   /admission/drain      no new work\nGET    /cache                the derivative cache\nPOST   /cache/purge          forgets derivatives\n"+
		"GET    /cache/warm           what is made ahead of need\nPOST   /cache/warm           makes derivatives ahead of need\nDELETE /cache/warm           drops what waits for that\n"+
		"GET    /metrics              for Prometheus\nGET    /debug/pprof/\nGET    /livez /readyz /healthz\n")
}

func (o *Operator) snapshot(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, o.deps.Admission.Snapshot())
}

func (o *Operator) decodes(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, map[string]any{"decodes": o.deps.Admission.Decodes()})
}

func (o *Operator) decisions(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, map[string]any{"decisions": o.deps.Admission.Decisions()})
}

func (o *Operator) cacheStat(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, o.deps.Cache.Stat())
}

func (o *Operator) cancel(w http.ResponseWriter, r *http.Request) {
	if !o.deps.Admission.Cancel(mux.Vars(r)["id"]) {
		newProblem(http.StatusNotFound, "not_found", "No decode of that id is running.").write(w, r)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

func (o *Operator) drain(w http.ResponseWriter, _ *http.Request) {
	o.deps.Public.Drain()
	o.deps.Admission.Drain()
	w.WriteHeader(http.StatusAccepted)
}

// maxPurgeBody bounds the body, in bytes.
const maxPurgeBody = 1 << 20

func (o *Operator) purge(w http.ResponseWriter, r *http.Request) {
	order, err := readOrder[PurgeOrder](http.MaxBytesReader(w, r.Body, maxPurgeBody))
	var selectors []cache.Selector
	if err == nil {
		selectors, err = order.Selectors(time.Now())
	}
	if err != nil {
		newProblem(http.StatusBadRequest, "bad_request", "The body is an object with ids, prefix, older_than or all: "+err.Error()).write(w, r)
		return
	}
	var total cache.Purged
	for _, sel := range selectors {
		p, err := o.deps.Cache.Purge(r.Context(), sel)
		total.Files, total.Bytes = total.Files+p.Files, total.Bytes+p.Bytes
		if err != nil {
			o.deps.Log.ErrorContext(r.Context(), "purge", "error", err.Error())
			newProblem(http.StatusInternalServerError, "internal", "Not everything could be removed; the log tells more.").write(w, r)
			return
		}
	}
	writeJSON(w, total)
}

// readOrder reads a body that is one JSON value. Unknown members, and anything
// behind the value, are errors: what is half understood is not carried out.
func readOrder[T any](body io.Reader) (T, error) {
	var order T
	d := json.NewDecoder(body)
	d.DisallowUnknownFields()
	if err := d.Decode(&order); err != nil {
		return order, err
	}
	switch _, err := d.Token(); {
	case errors.Is(err, io.EOF):
		return order, nil
	case err != nil:
		return order, fmt.Errorf("after the value: %w", err)
	}
	return order, errors.New("there is more than one value")
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	_ = e.Encode(v) // The client may be gone.
}
