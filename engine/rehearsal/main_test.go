package rehearsal_test

import (
	"testing"

	"github.com/dfe-engine/dfe/engine/embedded/embeddedtest"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }
