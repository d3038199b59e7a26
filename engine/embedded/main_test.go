//go:build linux || darwin

package embedded_test

import (
	"os"
	"testing"

	"github.com/dfe-engine/dfe/engine/embedded/embeddedtest"
)

func TestMain(m *testing.M) {
	if mode := os.Getenv(childVariable); mode != "" {
		os.Exit(child(mode))
	}
	embeddedtest.Main(m)
}
