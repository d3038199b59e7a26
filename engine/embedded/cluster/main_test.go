package cluster_test

import (
	"testing"

	"github.com/dfe-engine/dfe/engine/embedded/cluster/clustertest"
)

func TestMain(m *testing.M) { clustertest.Main(m) }
