package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/table"
)

// restCatalog is a REST catalog for tests: the protocol in front of the SQL catalog of the same target.
type restCatalog struct {
	t       testing.TB
	address string
	catalog catalog.Catalog
	refuse  atomic.Bool // commits fail by turns: as a conflict, done but unknown, done
	commits atomic.Int64
	refused atomic.Int64
	mutex   sync.Mutex
	seen    map[string]bool
}

func newRESTCatalog(t testing.TB, e *export) *restCatalog {
	ctx := context.Background()
	at, err := openTarget(ctx, e.dir, s3Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := openCatalog(ctx, at, catalogOptions{name: "fleetlake"}, true)
	if err != nil {
		t.Fatal(err)
	}
	r := &restCatalog{t: t, catalog: c, seen: map[string]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/config", func(w http.ResponseWriter, _ *http.Request) {
		r.answer(w, map[string]any{"defaults": map[string]string{}, "overrides": map[string]string{}})
	})
	mux.HandleFunc("POST /v1/namespaces", r.createNamespace)
	mux.HandleFunc("GET /v1/namespaces/{namespace}/tables", r.listTables)
	mux.HandleFunc("GET /v1/namespaces/{namespace}/tables/{table}", r.loadTable)
	mux.HandleFunc("POST /v1/namespaces/{namespace}/tables/{table}", r.commitTable)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		r.mutex.Lock()
		r.seen[q.Header.Get("Authorization")] = true
		r.mutex.Unlock()
		mux.ServeHTTP(w, q)
	}))
	t.Cleanup(func() { s.Close(); c.close() })
	r.address = s.URL
	return r
}

func (r *restCatalog) tokens() []string {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return slices.Sorted(maps.Keys(r.seen))
}

func (r *restCatalog) answer(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(body); err != nil {
		r.t.Error(err)
	}
}

func (r *restCatalog) fail(w http.ResponseWriter, err error) {
	code, kind := http.StatusInternalServerError, "Error"
	switch {
	case errors.Is(err, catalog.ErrNoSuchTable), errors.Is(err, catalog.ErrNoSuchNamespace):
		code, kind = http.StatusNotFound, "NoSuchTableException"
	case errors.Is(err, table.ErrCommitFailed), errors.Is(err, catalog.ErrNamespaceAlreadyExists), strings.Contains(err.Error(), "Requirement failed"):
		code, kind = http.StatusConflict, "CommitFailedException"
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": err.Error(), "type": kind, "code": code}})
}

func (r *restCatalog) createNamespace(w http.ResponseWriter, q *http.Request) {
	var body struct {
		Namespace []string `json:"namespace"`
	}
	if err := json.NewDecoder(q.Body).Decode(&body); err != nil {
		r.fail(w, err)
		return
	}
	if err := r.catalog.CreateNamespace(q.Context(), body.Namespace, nil); err != nil {
		r.fail(w, err)
		return
	}
	r.answer(w, map[string]any{"namespace": body.Namespace, "properties": map[string]string{}})
}

func (r *restCatalog) listTables(w http.ResponseWriter, q *http.Request) {
	list := []map[string]any{}
	for id, err := range r.catalog.ListTables(q.Context(), table.Identifier{q.PathValue("namespace")}) {
		if err != nil {
			r.fail(w, err)
			return
		}
		list = append(list, map[string]any{"namespace": id[:1], "name": id[1]})
	}
	r.answer(w, map[string]any{"identifiers": list})
}

func (r *restCatalog) loadTable(w http.ResponseWriter, q *http.Request) {
	tbl, err := r.catalog.LoadTable(q.Context(), table.Identifier{q.PathValue("namespace"), q.PathValue("table")})
	if err != nil {
		r.fail(w, err)
		return
	}
	r.answer(w, map[string]any{"metadata-location": tbl.MetadataLocation(), "metadata": tbl.Metadata()})
}

func (r *restCatalog) commitTable(w http.ResponseWriter, q *http.Request) {
	var body struct {
		Requirements table.Requirements `json:"requirements"`
		Updates      table.Updates      `json:"updates"`
	}
	if err := json.NewDecoder(q.Body).Decode(&body); err != nil {
		r.fail(w, err)
		return
	}
	turn := int64(2)
	if r.refuse.Load() {
		turn = r.commits.Add(1) % 3
	}
	if turn == 1 {
		r.refused.Add(1)
		r.fail(w, table.ErrCommitFailed)
		return
	}
	metadata, location, err := r.catalog.CommitTable(q.Context(), table.Identifier{q.PathValue("namespace"), q.PathValue("table")}, body.Requirements, body.Updates)
	if err == nil && turn == 0 {
		r.refused.Add(1)
		err = errors.New("the outcome is unknown")
	}
	if err != nil {
		r.fail(w, err)
		return
	}
	r.answer(w, map[string]any{"metadata-location": location, "metadata": metadata})
}

// issuer gives out tokens by client credentials, each for one request, and is in front of a catalog that knows no other.
type issuer struct {
	mutex  sync.Mutex
	issued int
	scope  string // that was asked for
}

func (i *issuer) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if q.FormValue("grant_type") != "client_credentials" || q.FormValue("client_id") != "fleet" || q.FormValue("client_secret") != "secret-words" {
		w.WriteHeader(http.StatusUnauthorized)
		json.NewEncoder(w).Encode(map[string]string{"error": "invalid_client", "error_description": "no such client"})
		return
	}
	i.issued++
	i.scope = q.FormValue("scope")
	json.NewEncoder(w).Encode(map[string]any{"access_token": fmt.Sprint("token-", i.issued), "token_type": "bearer", "expires_in": 1})
}

// takes reports whether a token was given out.
func (i *issuer) takes(header string) bool {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	var n int
	_, err := fmt.Sscanf(header, "Bearer token-%d", &n)
	return err == nil && n >= 1 && n <= i.issued
}

// TestTokensByClientCredentials are asked for, and again when they end, from the catalog or from a server of their own.
func TestTokensByClientCredentials(t *testing.T) {
	for name, c := range map[string]struct {
		credential, scope string
		own               bool // a server of tokens that is not the catalog
		fails             string
	}{
		"of the catalog":      {credential: "fleet:secret-words"},
		"of a server":         {credential: "fleet:secret-words", scope: "PRINCIPAL_ROLE:ALL", own: true},
		"with a wrong secret": {credential: "fleet:secret-wrong", fails: "no such client"},
	} {
		t.Run(name, func(t *testing.T) {
			e := newExport(t)
			e.night("run-1", "2026-11-19", 1, 2)
			e.publish()
			catalog, tokens := newRESTCatalog(t, e), &issuer{}
			behind, err := url.Parse(catalog.address)
			if err != nil {
				t.Fatal(err)
			}
			proxy := httputil.NewSingleHostReverseProxy(behind)
			front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
				switch {
				case q.URL.Path == "/v1/oauth/tokens" && !c.own:
					tokens.ServeHTTP(w, q)
				case !tokens.takes(q.Header.Get("Authorization")):
					http.Error(w, `{"error":{"message":"no token","type":"NotAuthorizedException","code":401}}`, http.StatusUnauthorized)
				default:
					proxy.ServeHTTP(w, q)
				}
			}))
			t.Cleanup(front.Close)
			args := []string{"--catalog-uri", front.URL}
			if c.own {
				server := httptest.NewServer(tokens)
				t.Cleanup(server.Close)
				args = append(args, "--oauth2-uri", server.URL+"/token", "--scope", c.scope)
			}
			t.Setenv("FLEETLAKE_ICEBERG_CREDENTIAL", c.credential)
			var out, errs strings.Builder
			code := run(context.Background(), append([]string{"register", e.dir}, args...), &out, &errs)
			if text := out.String() + errs.String(); (code != 0) != (c.fails != "") || !strings.Contains(text, c.fails) || strings.Contains(text, "secret-w") {
				t.Fatalf("exit code %d: %s", code, text)
			}
			if c.fails != "" {
				return
			}
			e.same("facts.listings")
			if want := cmp.Or(c.scope, "catalog"); tokens.issued < 2 || tokens.scope != want {
				t.Errorf("%d tokens of the scope %q, want several of %q", tokens.issued, tokens.scope, want)
			}
			for key, content := range e.files() {
				if strings.Contains(content, "secret-w") || strings.Contains(content, "token-1") {
					t.Errorf("%s has a secret", key)
				}
			}
		})
	}
}

// TestSecretsTravelEncrypted: an address of another machine without TLS is refused before anything is sent.
func TestSecretsTravelEncrypted(t *testing.T) {
	for name, c := range map[string]struct {
		o    catalogOptions
		want string
	}{
		"a token":                      {catalogOptions{uri: "http://catalog.example/", token: "x"}, "--catalog-uri: the token"},
		"a credential":                 {catalogOptions{uri: "http://catalog.example/", oauth: oauthOptions{credential: "a:b"}}, "--catalog-uri: the token"},
		"a credential for tokens":      {catalogOptions{uri: "https://catalog.example/", oauth: oauthOptions{credential: "a:b", uri: "http://tokens.example"}}, "--oauth2-uri: the token"},
		"both":                         {catalogOptions{uri: "https://catalog.example/", token: "x", oauth: oauthOptions{credential: "a:b"}}, "exclude each other"},
		"a scope without a credential": {catalogOptions{uri: "https://catalog.example/", oauth: oauthOptions{scope: "x"}}, "need FLEETLAKE_ICEBERG_CREDENTIAL"},
		"nothing":                      {catalogOptions{uri: "http://catalog.example/"}, ""},
		"under TLS":                    {catalogOptions{uri: "https://catalog.example/", oauth: oauthOptions{credential: "a:b"}}, ""},
		"on this machine":              {catalogOptions{uri: "http://127.0.0.1:8181/", token: "x"}, ""},
	} {
		_, err := c.o.auth()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
