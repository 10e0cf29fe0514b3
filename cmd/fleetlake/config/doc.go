// Package config reads the configuration: fleetlake.yaml and the environment over it. It names every
// problem with its line and column, suggests the key that was meant, and hands on values that are
// checked. Secrets are read from credentials, the environment or files, and are never printed.
package config
