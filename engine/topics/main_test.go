package topics_test

import (
	"testing"

	"github.com/dfe-engine/dfe/engine/embedded/embeddedtest"
	"github.com/dfe-engine/dfe/engine/topics/kafkatest"
)

func TestMain(m *testing.M) { embeddedtest.Main(kafkatest.Wrap(m)) }
