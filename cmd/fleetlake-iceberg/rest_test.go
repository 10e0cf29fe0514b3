package main

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
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
