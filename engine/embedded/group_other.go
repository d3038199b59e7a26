//go:build !unix

package embedded

import "os/exec"

// ownGroup leaves the command as it is: there is no engine for this platform.
func ownGroup(*exec.Cmd) {}
