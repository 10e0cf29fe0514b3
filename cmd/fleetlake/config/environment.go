package config

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// applyEnvironment overrides the file by the environment.
func applyEnvironment(c *Config, getenv func(string) string) []string {
	var problems []string
	for _, v := range variables(c) {
		s := strings.TrimSpace(getenv(v.name))
		if s == "" {
			continue
		}
		if err := v.set(s); err != nil {
			problems = append(problems, fmt.Sprintf("%s: %v", v.name, err))
		}
	}
	return problems
}

// variablesOfVerbs are read by the parts of the program that need them, and are no setting of the file.
var variablesOfVerbs = []string{"FLEETLAKE_CONFIG", "FLEETLAKE_ICEBERG_TOKEN", "FLEETLAKE_ICEBERG_CREDENTIAL"}

// Misspelt returns an *Error for each variable of the environment (NAME=VALUE) whose name begins like ours, and is
// close to that of a setting without being one: it would be ignored, and a cap with it. Other names are other
// programs': Kubernetes sets FLEETLAKE_SERVICE_HOST beside a service that is called fleetlake. It repeats no value.
func Misspelt(environment []string) error {
	known := slices.Clone(variablesOfVerbs)
	for _, v := range variables(&Config{}) {
		known = append(known, v.name)
	}
	var problems []string
	for _, variable := range environment {
		name, _, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, "FLEETLAKE_") || slices.Contains(known, name) {
			continue
		}
		for _, k := range known {
			if editDistance(name, k) <= 2 {
				problems = append(problems, fmt.Sprintf("%s: unknown variable of the environment; did you mean %s?", name, k))
				break
			}
		}
	}
	if len(problems) > 0 {
		return &Error{problems}
	}
	return nil
}

// configVariable is an environment variable of a setting.
type configVariable struct {
	name string
	set  func(string) error
}

func variables(c *Config) []configVariable {
	return []configVariable{
		{"FLEETLAKE_API_KEY", func(s string) error { c.key = newSecretKey(s); return nil }},
		{"FLEETLAKE_BASE_URL", func(s string) (err error) { c.BaseURL, err = parseBaseURL(s); return err }},
		{"FLEETLAKE_MAX_IN_FLIGHT", func(s string) (err error) { c.MaxInFlight, err = Number(1, 64)(s); return err }},
		{"FLEETLAKE_DATA", func(s string) (err error) { c.DataDir, err = parseDataDir(s); return err }},
		{"FLEETLAKE_MEMORY", func(s string) (err error) { c.MemoryMiB, err = orAuto(mebibytes(LeastMemoryMiB))(s); return err }},
		{"FLEETLAKE_THREADS", func(s string) (err error) { c.Threads, err = orAuto(Number(1, 256))(s); return err }},
		{"FLEETLAKE_BUDGET", func(s string) (err error) { c.Budget.PerRun, err = Number(0, math.MaxInt)(s); return err }},
		{"FLEETLAKE_LISTEN", func(s string) (err error) {
			c.Serve.Listen, err = parseListen(s)
			c.Serve.ListenGiven = true
			return err
		}},
		{"FLEETLAKE_SERVE_TOKEN", func(s string) error { c.Serve.environment = newSecretKey(s); return nil }},
		{"FLEETLAKE_WEBHOOK_SECRET", func(s string) error { c.Notify.environment = newSecretKey(s); return nil }},
		{"CREDENTIALS_DIRECTORY", func(s string) error {
			c.credentialsIn(s)
			return nil
		}},
		{"FLEETLAKE_EXPORT_ACCESS_KEY", func(s string) error { c.Export.environment.accessKey = newSecretKey(s); return nil }},
		{"FLEETLAKE_EXPORT_SECRET_KEY", func(s string) error { c.Export.environment.secretKey = newSecretKey(s); return nil }},
		{"FLEETLAKE_EXPORT_SESSION_TOKEN",
			func(s string) error { c.Export.environment.sessionToken = newSecretKey(s); return nil }},
		{"FLEETLAKE_NOTIFY_URLS", func(s string) (err error) { c.Notify.URLs, err = parseURLs(s); return err }},
	}
}
