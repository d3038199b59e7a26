package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/engine/config"
)

func TestAVariableThatIsNoneIsToldWithTheOneThatWasMeantAndWithoutItsValue(t *testing.T) {
	got := config.Unknown([]string{
		"HOME=/home/x", "DFE_TEST_CANARY=hidden", "DFE_ENGINE_CLICKHOUSE_URL=http://u:hidden@h",
		"DFE_ENGINE_CLICKHOUSE_PASWORD=hidden", "DFE_ENGINE_SCHEMA_OVERLAY_DIR=hidden=x", "DFE_ENGINE_COLOUR=hidden", "DFE_ENGINE_COLOUR=hidden",
	})
	want := []string{
		`the environment has DFE_ENGINE_CLICKHOUSE_PASWORD, which is no variable of dfe and is ignored. Did you mean "DFE_ENGINE_CLICKHOUSE_PASSWORD"?`,
		`the environment has DFE_ENGINE_COLOUR, which is no variable of dfe and is ignored. "dfe help environment" lists those there are.`,
		`the environment has DFE_ENGINE_SCHEMA_OVERLAY_DIR, which is no variable of dfe and is ignored. Did you mean "DFE_ENGINE_SCHEMAS_OVERLAY_DIR"?`,
	}
	if diff := cmp.Diff(want, got); diff != "" || strings.Contains(strings.Join(got, ""), "hidden") {
		t.Error(diff)
	}
}

func TestNoVariableOfTheProgramIsUnknownToIt(t *testing.T) {
	var environ []string
	for _, v := range config.Variables() {
		environ = append(environ, v.Name+"=")
	}
	if got := config.Unknown(environ); len(got) > 0 {
		t.Error(got)
	}
}

func TestWhatKubernetesSaysOfAServiceOfTheEnginesNameIsNoFault(t *testing.T) {
	got := config.Unknown([]string{
		"DFE_ENGINE_SERVICE_HOST=10.0.0.1", "DFE_ENGINE_SERVICE_PORT=8480", "DFE_ENGINE_SERVICE_PORT_HTTP=8480", "DFE_ENGINE_PORT=tcp://10.0.0.1:8480",
		"DFE_ENGINE_PORT_8480_TCP=tcp://10.0.0.1:8480", "DFE_ENGINE_PORT_8480_TCP_ADDR=10.0.0.1",
		"DFE_ENGINE_PAGE_SERVICE_HOST=10.0.0.2", "DFE_ENGINE_PAGE_PORT=tcp://10.0.0.2:80", "DFE_ENGINE_LISTEN_PORT=8480",
	})
	if len(got) != 1 || !strings.Contains(got[0], "DFE_ENGINE_LISTEN_PORT") {
		t.Error(got)
	}
}
