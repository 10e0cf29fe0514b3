package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/fleetlake/fleetlake/extract"
	"github.com/fleetlake/fleetlake/extract/api"
)

// maxKeyBytes is longer than any key.
const maxKeyBytes = 4096

// redactedKey is printed in place of a key.
const redactedKey = "[redacted]"

// secretKey is a text that prints as [redacted]. It is behind a pointer because fmt does not
// ask an unexported field how it wants to be printed.
type secretKey struct{ text *string }

func newSecretKey(text string) secretKey { return secretKey{&text} }

func (s secretKey) reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

func (s secretKey) String() string               { return redactedKey }
func (s secretKey) GoString() string             { return redactedKey }
func (s secretKey) MarshalText() ([]byte, error) { return []byte(redactedKey), nil }
func (s secretKey) LogValue() slog.Value         { return slog.StringValue(redactedKey) }

// RequireService returns an *Error if the address or the key of the service is missing.
func (c Config) RequireService() error {
	var problems []string
	if c.unread != nil {
		return &Error{[]string{fmt.Sprintf("read configuration: %v: root can", c.unread)}}
	}
	if c.BaseURL == "" {
		problems = append(problems, c.baseURLAt+": no address of the service, expected it there or in FLEETLAKE_BASE_URL")
	}
	if _, err := c.ReadKey(); err != nil {
		problems = append(problems, err.Error())
	}
	if len(problems) > 0 {
		return &Error{problems}
	}
	return nil
}

// Service returns the settings for calling the service. Call RequireService first: the address or the
// key may be empty otherwise.
func (c Config) Service() extract.Service {
	key, _ := c.ReadKey()
	var raw []api.Operation
	for _, o := range c.Operations {
		raw = append(raw, o.Operation)
	}
	return extract.Service{
		Raw:         raw,
		BaseURL:     c.BaseURL,
		Key:         key,
		ReadKey:     c.ReadKey,
		Limits:      maps.Clone(c.Limits),
		MaxInFlight: c.MaxInFlight,
		Timeout:     c.Timeout,
		Patience:    c.Patience,
	}
}

// ReadKey reads the key from the environment, its file or the credentials. Its errors name the setting
// and never the value: people paste keys into the wrong places.
func (c Config) ReadKey() (string, error) {
	key, err := secretOf(c.key, "FLEETLAKE_API_KEY", c.KeyFile, c.keyFileAt, credentialPath(c.credentials, KeyCredential), "key")
	if err == nil && key == "" {
		err = fmt.Errorf("%s: no key, expected a file with the key there, or the key in FLEETLAKE_API_KEY", c.keyFileAt)
	}
	return key, err
}

// Names of the credentials that a service manager provides as files (LoadCredential of systemd).
const (
	KeyCredential    = "api-key"
	TokenCredential  = "page-token"
	SecretCredential = "webhook-secret"

	// ExportCredential names the credentials of the export's target.
	ExportCredential = "export-credentials"
)

// credentialsIn names the directory of the credentials.
func (c *Config) credentialsIn(dir string) {
	c.credentials, c.Serve.credentials, c.Notify.credentials, c.Export.credentials, c.Flight.credentials = dir, dir, dir, dir, dir
}

// KeepSecrets reads the secrets of a run and of its export now, for a process that is about to lose the right to read
// their files. What cannot be read is left: the verb that needs it says so.
func (c *Config) KeepSecrets() {
	readNow := func(s *secretKey, text string, err error) {
		if err == nil && text != "" {
			*s = newSecretKey(text)
		}
	}
	key, err := c.ReadKey()
	readNow(&c.key, key, err)
	token, err := c.Serve.Token()
	readNow(&c.Serve.environment, token, err)
	recipients, err := c.Notify.Recipients()
	readNow(&c.Notify.environment, recipients.Secret, err)
	c.Export.kept, _ = c.Export.s3Credentials()
}

// credentialPath is the path of a credential, "" if the service manager does not provide it.
func credentialPath(dir, name string) string {
	if dir == "" {
		return ""
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return path
}

// secretOf reads a secret from the environment, else from the file that the configuration names, else
// from the credential of the service manager; empty if there is none.
func secretOf(given secretKey, variable, file, at, handed, what string) (string, error) {
	switch {
	case given.reveal() != "":
		return checkKey(given.reveal(), variable, what)
	case file != "":
		return readSecretFile(file, at, what)
	case handed != "":
		return readSecretFile(handed, "CREDENTIALS_DIRECTORY", what)
	}
	return "", nil
}

// readSecretFile reads a file that contains a secret and nothing else. at is the place of its setting,
// what a word for the secret.
func readSecretFile(path, at, what string) (string, error) {
	text, err := secretText(path, at, what, maxKeyBytes)
	if err != nil {
		return "", err
	}
	return checkKey(strings.TrimSpace(text), at+": the "+what+" file", what)
}

// secretText reads a file that only its owner and a group may read, up to a byte more than it may have.
func secretText(path, at, what string, most int64) (string, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a FIFO would wait for a writer
	if err != nil {
		return "", fmt.Errorf("%s: open the %s file: %w", at, what, withoutPath(err))
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return "", fmt.Errorf("%s: look at the %s file: %w", at, what, withoutPath(err))
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s: the %s file is not a regular file", at, what)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o037 != 0:
		return "", fmt.Errorf("%s: the %s file has mode %04o, expected 0600 or 0440 or stricter", at, what, info.Mode().Perm())
	}
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return "", fmt.Errorf("%s: read the %s file: %w", at, what, withoutPath(err))
	}
	return string(text), nil
}

// withoutPath removes the path from an error of the file system.
func withoutPath(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}

// checkKey refuses what cannot be sent as a header.
func checkKey(key, where, what string) (string, error) {
	switch {
	case key == "":
		return "", fmt.Errorf("%s is empty, expected the %s", where, what)
	case len(key) > maxKeyBytes:
		return "", fmt.Errorf("%s is longer than %d bytes, expected the %s alone", where, maxKeyBytes, what)
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", fmt.Errorf("%s contains white space or other characters that no %s has, expected the %[2]s alone", where, what)
	}
	return key, nil
}

// parseBaseURL checks the address of the service. Its errors do not repeat the address, which
// may contain a password.
func parseBaseURL(s string) (string, error) {
	if s == "" {
		return "", nil
	}
	const expected = "expected https://HOST/api/vessels_operations"
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Hostname() == "":
		return "", errors.New("not an absolute address, " + expected)
	case u.User != nil:
		return "", errors.New("address with a user or password, " + expected)
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return "", errors.New("address with ? or #, " + expected)
	case extract.CheckURL(s) != nil && u.Scheme != "http":
		return "", errors.New("not an absolute address, " + expected)
	case extract.CheckURL(s) != nil:
		return "", errors.New("the key would travel unencrypted, " + expected + " (http is for this machine only)")
	}
	return strings.TrimRight(s, "/"), nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
