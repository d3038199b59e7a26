package engine_test

import (
	"testing"

	"github.com/dfe-engine/dfe/engine/access"
	"github.com/dfe-engine/dfe/engine/embedded/embeddedtest"
)

func TestMain(m *testing.M) { embeddedtest.MainWith(m, access.New()) }
