package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fleetlake/fleetlake/schedules/exports"
)

func TestConfigExportValues(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		edit func(*Export)
	}{
		"a directory":         {"export: {target: /mnt/lake}", func(e *Export) { e.Target = "/mnt/lake" }},
		"a key without value": {"export: {target: , iceberg: }", func(*Export) {}},
		"a bucket": {"export: {target: 's3://lake/fleet', endpoint: 'https://s3.example.org', region: eu-central-1, path_style: true, credentials_file: s3}", func(e *Export) {
			e.Target, e.Endpoint, e.Region, e.PathStyle, e.CredentialsFile = "s3://lake/fleet", "https://s3.example.org", "eu-central-1", true, "s3"
		}},
		"a part": {"export: {tables: [facts.positions, history, vessels], since: 2026-01-31, warehouse: true, within: 90m, bandwidth: 20MB}", func(e *Export) {
			e.Tables, e.Since, e.Warehouse, e.Within, e.Bandwidth = []string{"facts.positions", "history", "vessels"}, "2026-01-31", true, 90*time.Minute, 20_000_000
		}},
		"Iceberg tables": {"export: {iceberg: {program: fleetlake-iceberg, catalog: 'http://localhost:8181', arguments: [--warehouse, lake]}}", func(e *Export) {
			e.Iceberg = exports.Iceberg{Program: "fleetlake-iceberg", Catalog: "http://localhost:8181", Arguments: []string{"--warehouse", "lake"}}
		}},
		"upkeep": {"export: {compact: true, expire: {after: 7d, keep_facts: 400d}}", func(e *Export) {
			e.Compact, e.Expire = true, exports.Expire{After: 7 * 24 * time.Hour, KeepFacts: 400 * 24 * time.Hour}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			want := defaults()
			c.edit(&want.Export)
			got, err := Load(configFile(t, c.text), true, noEnvironment)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, sameConfig); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestConfigExportRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"an unknown key":               {"export: {bucket: x}", `:1:10: unknown key "bucket" in export, expected one of: bandwidth, compact, credentials_file, endpoint, expire, iceberg, path_style, region, since, tables, target, warehouse, within`},
		"a secret in the file":         {"export: {secret_key: planted}", `unknown key "secret_key" in export`},
		"another protocol":             {"export: {target: 'ftp://planted@example.org/x'}", `:1:18: export.target: not a target, expected a directory or s3://bucket/prefix`},
		"a bucket without a name":      {"export: {target: 's3://'}", `export.target: not a target`},
		"credentials in the target":    {"export: {target: 's3://planted:planted@lake'}", `export.target: not a target`},
		"credentials in the endpoint":  {"export: {endpoint: 'https://planted:planted@s3.example.org'}", `export.endpoint: not an endpoint, expected an address such as https://s3.example.org`},
		"an endpoint without protocol": {"export: {endpoint: s3.example.org}", `export.endpoint: not an endpoint`},
		"a region with a blank":        {"export: {region: 'eu central'}", `export.region: "eu central", expected a region`},
		"a word for a truth":           {"export: {path_style: perhaps}", `export.path_style: "perhaps", expected true or false`},
		"a bandwidth below nothing":    {"export: {bandwidth: -1}", `export.bandwidth: "-1", expected a number of bytes such as 20MB`},
		"a bandwidth beyond all":       {"export: {bandwidth: 99999999999GB}", `export.bandwidth: "99999999999GB", expected`},
		"a table with a blank":         {"export: {tables: ['facts positions']}", `export.tables: "facts positions", expected a table such as facts.positions`},
		"a date in another order":      {"export: {since: 31.01.2026}", `export.since: "31.01.2026", expected a date as YYYY-MM-DD`},
		"no time at all":               {"export: {within: 0s}", `export.within: "0s", expected a duration`},
		"an unknown part of Iceberg":   {"export: {iceberg: {path: x}}", `unknown key "path" in export.iceberg, expected one of: arguments, catalog, program`},
		"credentials in the catalog":   {"export: {iceberg: {catalog: 'https://planted:planted@example.org'}}", `export.iceberg.catalog: not a catalog, expected a file`},
		"nights that nothing removes":  {"export: {expire: {keep_facts: 400d}}", `:1:18: export.expire.keep_facts: 9600h0m0s without export.expire.after, expected both`},
		"an age below nothing":         {"export: {expire: {after: -1h}}", `export.expire.after: "-1h", expected a duration`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Load(configFile(t, c.text), true, noEnvironment)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("got  %v\nwant %s", err, c.want)
			}
			if strings.Contains(err.Error(), "planted") {
				t.Errorf("a secret is repeated: %v", err)
			}
		})
	}
}

func TestExportCredentials(t *testing.T) {
	file := func(text string, mode os.FileMode) string {
		path := filepath.Join(t.TempDir(), "planted")
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	handed := t.TempDir()
	if err := os.WriteFile(filepath.Join(handed, ExportCredential), []byte("aws_access_key_id=h\naws_secret_access_key=hs\n"), 0o440); err != nil {
		t.Fatal(err)
	}
	const whole = "# of the lake\n[default]\naws_access_key_id = id\naws_secret_access_key = a/b+c==\naws_session_token=t\nregion = eu-central-1\n"
	for name, c := range map[string]struct {
		file        string
		environment map[string]string
		want        string // key, secret and token, or the error after !
	}{
		"none":                              {"", nil, "  "},
		"a file of the tools of S3":         {file(whole, 0o600), nil, "id a/b+c== t"},
		"the environment goes before":       {file(whole, 0o600), map[string]string{"FLEETLAKE_EXPORT_ACCESS_KEY": "e", "FLEETLAKE_EXPORT_SECRET_KEY": "es"}, "e es "},
		"the service manager comes last":    {"", map[string]string{"CREDENTIALS_DIRECTORY": handed}, "h hs "},
		"a file goes before its credential": {file(whole, 0o440), map[string]string{"CREDENTIALS_DIRECTORY": handed}, "id a/b+c== t"},
		"half of the environment":           {"", map[string]string{"FLEETLAKE_EXPORT_SECRET_KEY": "planted"}, "!expected both"},
		"a file for everybody":              {file(whole, 0o644), nil, "!the credentials file has mode 0644, expected 0600"},
		"no file":                           {filepath.Join(t.TempDir(), "planted"), nil, "!open the credentials file: no such file"},
		"an empty file":                     {file("", 0o600), nil, "!the credentials file lacks a key, expected a profile with aws_access_key_id"},
		"a file with a bare secret":         {file("plantedSecret", 0o600), nil, "!has a line that is no setting"},
		"a secret with a blank":             {file("aws_access_key_id = planted key\naws_secret_access_key = s\n", 0o600), nil, "!contains white space"},
		"two profiles":                      {file(whole+"[other]\n", 0o600), nil, "!has 2 profiles, expected one"},
	} {
		t.Run(name, func(t *testing.T) {
			text := "export: {target: 's3://lake'}"
			if c.file != "" {
				text = "export: {target: 's3://lake', credentials_file: '" + c.file + "'}"
			}
			cfg, err := Load(configFile(t, text), true, func(name string) string { return c.environment[name] })
			if err != nil {
				t.Fatal(err)
			}
			s, err := cfg.Export.Settings()
			if words, ok := strings.CutPrefix(c.want, "!"); ok {
				if err == nil || !strings.Contains(err.Error(), words) || strings.Contains(err.Error(), "planted") {
					t.Errorf("got %v, want %q", err, words)
				}
				return
			}
			if got := strings.Join([]string{s.Store.AccessKey, s.Store.SecretKey, s.Store.SessionToken}, " "); err != nil || got != c.want {
				t.Errorf("got %q, %v; want %q", got, err, c.want)
			}
		})
	}
}

// TestADirectoryTakesNoCredentials has a file of credentials that cannot be read, for another target.
func TestADirectoryTakesNoCredentials(t *testing.T) {
	for target, want := range map[string]bool{"": true, "/mnt/lake": true, "s3://lake": false} {
		cfg, err := Load(configFile(t, "export: {target: '"+target+"', credentials_file: /nowhere}"), true, noEnvironment)
		if err != nil {
			t.Fatal(err)
		}
		if s, err := cfg.Export.Settings(); (err == nil) != want || err == nil && s.Target != target {
			t.Errorf("%q: %v, %v", target, s.Target, err)
		}
	}
}

func TestBytes(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "1": 1, "500kB": 500_000, "20MB": 20_000_000, "20 MB": 20_000_000, "1GiB": 1 << 30, "512KiB": 512 << 10, "7B": 7,
		"": -1, "MB": -1, "20mb": -1, "1.5MB": -1, "-1": -1, "9223372036854775807GB": -1} {
		if got, err := Bytes(text); want >= 0 && (err != nil || got != want) || want < 0 && err == nil {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
}
