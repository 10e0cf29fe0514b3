package config

import "testing"

// TestMain hides a program that is installed on this machine.
func TestMain(m *testing.M) {
	Installed = Places{Settings: "not-installed", Data: "not-installed"}
	m.Run()
}
