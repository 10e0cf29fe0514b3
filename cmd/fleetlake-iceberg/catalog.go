package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	iceberg "github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/catalog/rest"
	icesql "github.com/apache/iceberg-go/catalog/sql"
	_ "github.com/apache/iceberg-go/io/gocloud/s3" // s3:// for the files of tables
	"github.com/apache/iceberg-go/table"
	_ "modernc.org/sqlite" // the SQL catalog
)

// catalogOptions say which catalog has the tables: a REST catalog if uri is set, else a SQLite file.
type catalogOptions struct {
	name      string
	file      string
	uri       string
	warehouse string
	token     string
	oauth     oauthOptions
	s3        s3Options
}

// oauthOptions are the client credentials of OAuth2, by which a REST catalog gives out tokens that end soon.
type oauthOptions struct {
	credential string // CLIENT_ID:CLIENT_SECRET; empty is none
	uri        string // of the tokens; empty is the catalog's own, /v1/oauth/tokens
	scope      string // empty is "catalog"
}

// auth are options of the library, which gets a token, and another one before it ends. Secrets go to other machines
// under TLS only.
func (o catalogOptions) auth() (options []rest.Option, err error) {
	switch {
	case o.token != "" && o.oauth.credential != "":
		return nil, errors.New("FLEETLAKE_ICEBERG_TOKEN and FLEETLAKE_ICEBERG_CREDENTIAL exclude each other: set one")
	case o.oauth.credential == "" && o.oauth != (oauthOptions{}):
		return nil, errors.New("--oauth2-uri and --scope need FLEETLAKE_ICEBERG_CREDENTIAL, CLIENT_ID:CLIENT_SECRET")
	case o.token == "" && o.oauth.credential == "":
		return nil, nil
	}
	if err := encrypted(o.uri, "--catalog-uri"); err != nil {
		return nil, err
	}
	if o.token != "" {
		return []rest.Option{rest.WithOAuthToken(o.token)}, nil
	}
	options = append(options, rest.WithCredential(o.oauth.credential))
	if o.oauth.scope != "" {
		options = append(options, rest.WithScope(o.oauth.scope))
	}
	if o.oauth.uri != "" {
		if err := encrypted(o.oauth.uri, "--oauth2-uri"); err != nil {
			return nil, err
		}
		uri, _ := url.Parse(o.oauth.uri) // encrypted has parsed it
		options = append(options, rest.WithAuthURI(uri))
	}
	return options, nil
}

// encrypted refuses an address to which a secret would travel in the clear.
func encrypted(address, flag string) error {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return fmt.Errorf("%s: not an absolute address, expected https://HOST/PATH", flag)
	}
	if ip := net.ParseIP(u.Hostname()); u.Scheme == "https" || u.Hostname() == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("%s: the token or the credential would travel unencrypted, expected https:// (http is for this machine only)", flag)
}

// openedCatalog is a catalog; its zero value holds no table.
type openedCatalog struct {
	catalog.Catalog
	close   func() error
	publish func(context.Context) error // puts a copy for readers beside a SQLite file; nil for a REST catalog
}

// openCatalog opens the catalog. If write is false and a SQLite file is not there, it is not made: the catalog
// is nil then, and holds no table.
func openCatalog(ctx context.Context, t target, o catalogOptions, write bool) (openedCatalog, error) {
	none := openedCatalog{close: func() error { return nil }}
	if o.uri != "" {
		if o.file != "" {
			return none, errors.New("--catalog-file and --catalog-uri exclude each other: name one catalog")
		}
		var err error
		none.Catalog, err = openREST(ctx, o)
		return none, err
	}
	file, err := o.sqlFile(t)
	if err != nil {
		return none, err
	}
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) && !write {
		return none, nil
	}
	if err := makeDirectory(filepath.Dir(file)); err != nil {
		return none, err
	}
	// A process that writes locks the file at once and the other waits, instead of both reading and one failing.
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=busy_timeout(30000)&_txlock=immediate")
	if err != nil {
		return none, err
	}
	c, err := icesql.NewCatalog(o.name, db, icesql.SQLite, iceberg.Properties(o.s3.properties()))
	if err != nil {
		return none, errors.Join(fmt.Errorf("open catalog %s: %w", file, err), db.Close())
	}
	return openedCatalog{c, db.Close, func(ctx context.Context) error { return publishCopy(ctx, db, file) }}, nil
}

func openREST(ctx context.Context, o catalogOptions) (catalog.Catalog, error) {
	options := []rest.Option{rest.WithAdditionalProps(iceberg.Properties(o.s3.properties()))}
	if o.warehouse != "" {
		options = append(options, rest.WithWarehouseLocation(o.warehouse))
	}
	auth, err := o.auth()
	if err != nil {
		return nil, err
	}
	c, err := rest.NewCatalog(ctx, o.name, o.uri, append(options, auth...)...)
	if err != nil {
		return nil, fmt.Errorf("open REST catalog %s: %w", o.uri, err)
	}
	return c, nil
}

// sqlFile returns the file of the SQL catalog; only a directory has a place for it by itself.
func (o catalogOptions) sqlFile(t target) (string, error) {
	if o.file != "" {
		file, err := filepath.Abs(o.file)
		if err == nil && strings.ContainsAny(file, "?#%") {
			err = fmt.Errorf("catalog file %q has one of ?#%% in its name: rename it", file)
		}
		return file, err
	}
	if d, ok := t.objects.(directory); ok {
		return d.path("_iceberg/catalog.db"), nil
	}
	return "", fmt.Errorf("%s is an object store, which cannot hold a SQLite file: name one by --catalog-file, or a REST catalog by --catalog-uri", t.name)
}

// ours is the property that marks a table of this program; its value is the name in the manifest.
const ours = "fleetlake.table"

// loadTable returns a table of ours, or nil if the catalog has none of that name.
func loadTable(ctx context.Context, c catalog.Catalog, t target, name string) (*table.Table, error) {
	if c == nil {
		return nil, nil
	}
	tbl, err := c.LoadTable(ctx, identifier(name))
	if errors.Is(err, catalog.ErrNoSuchTable) || errors.Is(err, catalog.ErrNoSuchNamespace) {
		return nil, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the catalog says of table %s what is not there: %w. If the lake was moved to %s: an Iceberg table cannot move, "+
			"because its metadata has the addresses of its files. Remove the catalog file, and `fleetlake-iceberg register %s` makes the tables anew, without a copy of the data",
			name, err, t.uri, t.name)
	}
	if err != nil {
		return nil, fmt.Errorf("load table %s: %w", name, err)
	}
	if tbl.Properties()[ours] != name {
		return nil, fmt.Errorf("the catalog has a table %s that fleetlake-iceberg did not make: rename it, or register into another catalog", name)
	}
	if at := t.of(folder(name)); strings.TrimSuffix(tbl.Location(), "/") != at {
		return nil, fmt.Errorf("table %s of the catalog lies at %s and the export at %s: an Iceberg table cannot move; "+
			"drop the tables (or remove the catalog file), and `fleetlake-iceberg register %s` makes them anew", name, tbl.Location(), t.uri, t.name)
	}
	return tbl, nil
}

func identifier(name string) table.Identifier {
	namespace, short, _ := strings.Cut(name, ".")
	return table.Identifier{namespace, short}
}

// folder is where the metadata and the compacted files of a table lie, below the target.
func folder(name string) string { return "_iceberg/" + strings.Replace(name, ".", "/", 1) }

// namespaces are those of the tables of an export.
var namespaces = []string{"facts", "history", "ready"}

// registered returns the names of the tables of ours that the catalog has.
func registered(ctx context.Context, c catalog.Catalog) ([]string, error) {
	var names []string
	if c == nil {
		return nil, nil
	}
	for _, namespace := range namespaces {
		for id, err := range c.ListTables(ctx, table.Identifier{namespace}) {
			if errors.Is(err, catalog.ErrNoSuchNamespace) {
				break
			}
			if err != nil {
				return nil, fmt.Errorf("list tables of %s: %w", namespace, err)
			}
			name := namespace + "." + id[len(id)-1]
			tbl, err := c.LoadTable(ctx, identifier(name))
			if err != nil {
				return nil, fmt.Errorf("load table %s: %w", name, err)
			}
			if tbl.Properties()[ours] == name {
				names = append(names, name)
			}
		}
	}
	return names, nil
}
