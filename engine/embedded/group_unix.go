//go:build unix

package embedded

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a command in a process group of its own, killed as a whole when
// its context ends: npm is a script that starts node.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
