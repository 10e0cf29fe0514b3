// Package spans records the parts of a run for OpenTelemetry, below the span of the run. What it
// records leaves this machine: names and numbers only, never a path or what the service wrote.
package spans
