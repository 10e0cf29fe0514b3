package config

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fleetlake/fleetlake/extract"
)

func TestConfigService(t *testing.T) {
	keyFile := func(text string, mode os.FileMode) string {
		path := filepath.Join(t.TempDir(), "key")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, c := range map[string]struct {
		file string // "" is none
		env  string
		want string // the key, or a word of the error after "!"
	}{
		"from the environment":              {env: " planted \n", want: "planted"},
		"from a file":                       {file: keyFile("planted\n", 0o600), want: "planted"},
		"from a file that is read-only":     {file: keyFile("planted", 0o400), want: "planted"},
		"the environment over the file":     {file: keyFile("other", 0o600), env: "planted", want: "planted"},
		"from nowhere":                      {want: "!no key, expected a file with the key"},
		"from a file that others read":      {file: keyFile("planted", 0o644), want: "!has mode 0644, expected 0600 or 0440 or stricter"},
		"from a file that the group reads":  {file: keyFile("planted", 0o440), want: "planted"}, // Kubernetes with fsGroup
		"from a file that the group writes": {file: keyFile("planted", 0o660), want: "!has mode 0660"},
		"from an empty file":                {file: keyFile(" \n", 0o600), want: "!the key file is empty, expected the key"},
		"from a file with more than a key":  {file: keyFile("planted\nsecond", 0o600), want: "!contains white space"},
		"from a file that is far too large": {file: keyFile(strings.Repeat("planted", 1000), 0o600), want: "!is longer than 4096 bytes"},
		"from a directory":                  {file: t.TempDir(), want: "!is not a regular file"},
		"from no file":                      {file: filepath.Join(t.TempDir(), "planted"), want: "!open the key file: no such file or directory"},
	} {
		t.Run(name, func(t *testing.T) {
			text := fmt.Sprintf("api:\n  base_url: https://example.org/api\n  key_file: %q\n", c.file)
			cfg, err := Load(configFile(t, text), true, func(name string) string {
				return map[string]string{"FLEETLAKE_API_KEY": c.env}[name]
			})
			if err != nil {
				t.Fatal(err)
			}
			err = cfg.RequireService()
			want, bad := strings.CutPrefix(c.want, "!")
			switch {
			case bad && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), ":3:13: api.key_file")):
				t.Errorf("got %v, want %q and its place", err, want)
			case bad && strings.Contains(err.Error(), "planted"):
				t.Errorf("the error contains the value: %v", err)
			case !bad && (err != nil || cfg.Service().Key != want):
				t.Errorf("got key %q and %v, want %q", cfg.Service().Key, err, want)
			}
		})
	}
}

func TestConfigServiceWithoutAnything(t *testing.T) {
	err := defaults().RequireService()
	if err == nil || !strings.Contains(err.Error(), "api.base_url: no address") || !strings.Contains(err.Error(), "api.key_file: no key") {
		t.Errorf("got %v, want both things that are missing", err)
	}
	want := extract.Service{Limits: defaults().Limits, MaxInFlight: 8, Timeout: time.Minute, Patience: 30 * time.Minute}
	if diff := cmp.Diff(want, defaults().Service(), cmpopts.IgnoreFields(extract.Service{}, "ReadKey")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestTheKeyIsNotPrinted prints a configuration in many ways.
func TestTheKeyIsNotPrinted(t *testing.T) {
	c, err := Load("absent.yaml", false, func(name string) string {
		return map[string]string{"FLEETLAKE_API_KEY": "planted"}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("config", "config", c, "key", c.key)
	slog.New(slog.NewTextHandler(&log, nil)).Info("config", "config", c, "key", c.key)
	text, err := json.Marshal(map[string]any{"config": c, "key": c.key})
	if err != nil {
		t.Fatal(err)
	}
	log.Write(text)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&log, verb, c)
		fmt.Fprintf(&log, verb, c.key)
	}
	if strings.Contains(log.String(), "planted") || strings.Contains(log.String(), fmt.Sprintf("%x", "planted")) {
		t.Errorf("the key is in the log:\n%s", log.String())
	}
	if c.Service().Key != "planted" {
		t.Error("the key is lost")
	}
}

// TestAKeyInTheFileIsRefused checks that a key in the file is refused, and not printed.
func TestAKeyInTheFileIsRefused(t *testing.T) {
	for _, key := range []string{"key", "api_key", "token"} {
		_, err := Load(configFile(t, "api: {"+key+": planted}"), true, noEnvironment)
		if err == nil || !strings.Contains(err.Error(), "FLEETLAKE_API_KEY") || strings.Contains(err.Error(), "planted") {
			t.Errorf("%s: got %v", key, err)
		}
	}
	_, err := Load(configFile(t, "api: {base_url: 'https://me:planted@example.org/api'}"), true, noEnvironment)
	if err == nil || strings.Contains(err.Error(), "planted") {
		t.Errorf("got %v, want a refusal without the password", err)
	}
}
