package cluster

import (
	"encoding/json"
	"fmt"
	"os"
)

const (
	modeVariable   = "DFE_CLUSTER_MODE"
	configVariable = "DFE_CLUSTER_CONFIG"

	memberMode = "member"

	// readyLine is what a member prints when it answers.
	readyLine = "ready"
)

// Run is the first thing that a program which starts clusters does: where it was started as a member it is that and never
// returns. Otherwise it returns at once.
func Run() {
	config := os.Getenv(configVariable)
	var err error
	switch os.Getenv(modeVariable) {
	case "":
		return
	case memberMode:
		var n node
		if err = json.Unmarshal([]byte(config), &n); err == nil {
			err = runMember(n)
		}
	default:
		err = fmt.Errorf("%s=%s is no mode of a cluster's process", modeVariable, os.Getenv(modeVariable))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}
