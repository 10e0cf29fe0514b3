package config

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/fleetlake/fleetlake/load/export"
	"github.com/fleetlake/fleetlake/load/store"
	"github.com/fleetlake/fleetlake/schedules/exports"
)

// Export configures the export after a night.
type Export struct {
	Target          string // a directory or s3://bucket/prefix; "" is no export
	Endpoint        string
	Region          string
	PathStyle       bool
	CredentialsFile string
	Bandwidth       int64    // bytes a second; 0 is no limit
	Tables          []string // empty is all
	Since           string   // the first night, YYYY-MM-DD; "" is all
	Warehouse       bool     // the published file too
	Within          time.Duration
	Compact         bool
	Iceberg         exports.Iceberg
	Expire          exports.Expire

	credentialsAt string // where the file is named in the configuration
	environment   s3Credentials
	kept          s3Credentials // those of the configured target, read by KeepSecrets
	credentials   string        // the directory of the service manager's credentials; "" is none
}

// s3Credentials open a store.
type s3Credentials struct{ accessKey, secretKey, sessionToken secretKey }

func (d *decoder) export(n *yaml.Node, e *Export) {
	d.mapping(n, "export", keyTable{
		"target": setting(d, "export.target", "a directory or s3://bucket/prefix", parseTarget,
			func(v string) { e.Target = v }),
		"endpoint":   setting(d, "export.endpoint", "an address", parseEndpoint, func(v string) { e.Endpoint = v }),
		"region":     setting(d, "export.region", "a region", parseRegion, func(v string) { e.Region = v }),
		"path_style": setting(d, "export.path_style", "true or false", parseTruth, func(v bool) { e.PathStyle = v }),
		"credentials_file": func(n *yaml.Node) {
			e.credentialsAt = d.at(n) + ": export.credentials_file"
			d.path("export.credentials_file", "a file", &e.CredentialsFile)(n)
		},
		"bandwidth": setting(d, "export.bandwidth", "bytes a second", Bytes, func(v int64) { e.Bandwidth = v }),
		"tables":    d.list("export.tables", parseTable, func(v []string) { e.Tables = v }),
		"since":     setting(d, "export.since", "a date", parseDate, func(v string) { e.Since = v }),
		"warehouse": setting(d, "export.warehouse", "true or false", parseTruth, func(v bool) { e.Warehouse = v }),
		"within":    setting(d, "export.within", "a duration", Duration(1), func(v time.Duration) { e.Within = v }),
		"iceberg": func(n *yaml.Node) {
			d.mapping(n, "export.iceberg", keyTable{
				"program": d.path("export.iceberg.program", "a program", &e.Iceberg.Program),
				"catalog": setting(d, "export.iceberg.catalog", "a file or an address", parseCatalog,
					func(v string) { e.Iceberg.Catalog = v }),
				"arguments": d.list("export.iceberg.arguments",
					func(s string) ([]string, error) { return []string{s}, nil },
					func(v []string) { e.Iceberg.Arguments = v }),
			})
		},
		"compact": setting(d, "export.compact", "true or false", parseTruth, func(v bool) { e.Compact = v }),
		"expire": func(n *yaml.Node) {
			d.mapping(n, "export.expire", keyTable{
				"after": setting(d, "export.expire.after", "a duration", Duration(0),
					func(v time.Duration) { e.Expire.After = v }),
				"keep_facts": setting(d, "export.expire.keep_facts", "a duration", Duration(0),
					func(v time.Duration) { e.Expire.KeepFacts = v }),
			})
			if e.Expire.KeepFacts > 0 && e.Expire.After == 0 {
				d.report(resolveAlias(n), "export.expire.keep_facts: %v without export.expire.after, expected both: "+
					"nothing is removed otherwise", e.Expire.KeepFacts)
			}
		},
	})
}

// Environment returns the credentials of the environment alone: those for another target than the
// configured one.
func (e Export) Environment() Export { return Export{environment: e.environment} }

// Settings are what an export needs. It reads the credentials, unless the target is a directory; its
// errors name the setting and never the value.
func (e Export) Settings() (exports.Settings, error) {
	s := exports.Settings{Target: e.Target, Within: e.Within, Compact: e.Compact, Iceberg: e.Iceberg, Expire: e.Expire,
		Store:   store.Options{Endpoint: e.Endpoint, Region: e.Region, PathStyle: e.PathStyle, Bandwidth: e.Bandwidth},
		Options: export.Options{Since: e.Since, Tables: e.Tables, Warehouse: e.Warehouse}}
	if !strings.Contains(e.Target, "://") {
		return s, nil
	}
	c, err := e.s3Credentials()
	if err != nil {
		return exports.Settings{}, &Error{Problems: []string{err.Error()}}
	}
	s.Store.AccessKey, s.Store.SecretKey, s.Store.SessionToken = c.accessKey.reveal(), c.secretKey.reveal(), c.sessionToken.reveal()
	return s, nil
}

// s3Credentials reads the credentials from the environment, else from the file that the configuration
// names, else from those of the service manager; empty if there are none.
func (e Export) s3Credentials() (s3Credentials, error) {
	given := e.environment
	switch handed := credentialPath(e.credentials, ExportCredential); {
	case given.accessKey.reveal() != "" || given.secretKey.reveal() != "" || given.sessionToken.reveal() != "":
		if given.accessKey.reveal() == "" || given.secretKey.reveal() == "" {
			return s3Credentials{}, errors.New("FLEETLAKE_EXPORT_ACCESS_KEY and FLEETLAKE_EXPORT_SECRET_KEY belong " +
				"together, expected both")
		}
		return given, nil
	case e.kept.accessKey.reveal() != "":
		return e.kept, nil
	case e.CredentialsFile != "":
		return readCredentials(e.CredentialsFile, cmp.Or(e.credentialsAt, "export.credentials_file"))
	case handed != "":
		return readCredentials(handed, "CREDENTIALS_DIRECTORY")
	}
	return s3Credentials{}, nil
}

// expectedCredentials is the format of a file of credentials, which the tools of S3 write.
const expectedCredentials = "expected a profile with aws_access_key_id = ..., aws_secret_access_key = ... and, if " +
	"temporary, aws_session_token = ..."

// readCredentials reads a file of credentials with one profile.
func readCredentials(path, at string) (c s3Credentials, err error) {
	text, err := secretText(path, at, "credentials", maxKeyBytes)
	if err != nil {
		return c, err
	}
	at += ": the credentials file"
	profiles := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		name, value, ok := strings.Cut(line, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		known := map[string]*secretKey{"aws_access_key_id": &c.accessKey, "aws_secret_access_key": &c.secretKey,
			"aws_session_token": &c.sessionToken}[name]
		switch {
		case line == "", strings.HasPrefix(line, "#"), strings.HasPrefix(line, ";"):
		case strings.HasPrefix(line, "["):
			profiles++
		case ok && known != nil:
			if _, err := checkKey(value, at, strings.ReplaceAll(strings.TrimPrefix(name, "aws_"), "_", " ")); err != nil {
				return s3Credentials{}, err
			}
			*known = newSecretKey(value)
		case !ok || !settingName.MatchString(name): // it could be a secret, so it is not repeated
			return s3Credentials{}, fmt.Errorf("%s has a line that is no setting, %s", at, expectedCredentials)
		} // other settings, such as a region, are for other tools
	}
	switch {
	case profiles > 1:
		return s3Credentials{}, fmt.Errorf("%s has %d profiles, expected one", at, profiles)
	case c.accessKey.reveal() == "" || c.secretKey.reveal() == "":
		return s3Credentials{}, fmt.Errorf("%s lacks a key, %s", at, expectedCredentials)
	}
	return c, nil
}

var settingName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,40}$`)

func parseTarget(s string) (string, error) {
	scheme, rest, ok := strings.Cut(s, "://")
	if ok && (scheme != "s3" || rest == "" || strings.HasPrefix(rest, "/") || strings.ContainsAny(rest, "@?# ")) {
		return "", errors.New("not a target, expected a directory or s3://bucket/prefix") // it could contain a password
	}
	if ok {
		return s, nil
	}
	return parsePath(s)
}

// parseCatalog checks a catalog, whose address could contain a password.
func parseCatalog(s string) (string, error) {
	if !strings.Contains(s, "://") {
		return parsePath(s)
	}
	if _, err := parseEndpoint(s); err != nil {
		return "", errors.New("not a catalog, expected a file, or an address such as https://catalog.example.org " +
			"without credentials")
	}
	return s, nil
}

func parseEndpoint(s string) (string, error) {
	u, err := url.Parse(s)
	if s != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		u.RawQuery != "" || u.Fragment != "") {
		return "", errors.New("not an endpoint, expected an address such as https://s3.example.org, without credentials")
	}
	return s, nil
}

var regionPattern = regexp.MustCompile(`^[A-Za-z0-9-]{0,64}$`)

func parseRegion(s string) (string, error) {
	if !regionPattern.MatchString(s) {
		return "", fmt.Errorf("%q, expected a region such as eu-central-1", s)
	}
	return s, nil
}

func parseTruth(s string) (bool, error) {
	if s != "true" && s != "false" {
		return false, fmt.Errorf("%q, expected true or false", s)
	}
	return s == "true", nil
}

var tablePattern = regexp.MustCompile(`^(facts\.|history\.)?[a-z][a-z0-9_]*$`)

func parseTable(s string) ([]string, error) {
	if !tablePattern.MatchString(s) {
		return nil, fmt.Errorf("%q, expected a table such as facts.positions, or facts, history or ready for all of them", s)
	}
	return []string{s}, nil
}

func parseDate(s string) (string, error) {
	if s == "" {
		return "", nil
	}
	if _, err := time.Parse(time.DateOnly, s); err != nil {
		return "", fmt.Errorf("%q, expected a date as YYYY-MM-DD", s)
	}
	return s, nil
}

// byteUnits are the units of Bytes.
var byteUnits = []struct {
	name string
	size int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}, {"", 1}}

// Bytes parses an amount of bytes such as 20MB or 512KiB; 0 is none.
func Bytes(s string) (int64, error) {
	for _, unit := range byteUnits {
		if number, ok := strings.CutSuffix(s, unit.name); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
			if err != nil || n < 0 || n > math.MaxInt64/unit.size {
				break
			}
			return n * unit.size, nil
		}
	}
	return 0, fmt.Errorf("%q, expected a number of bytes such as 20MB or 512KiB, or 0 for no limit", s)
}
