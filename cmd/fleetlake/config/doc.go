// Package config reads the configuration: fleetlake.yaml, and the environment, which overrides it. It
// reports every problem with its line and column, suggests the key that was meant, and returns checked
// values. Secrets are read from credentials, the environment or files, and are never printed.
package config
