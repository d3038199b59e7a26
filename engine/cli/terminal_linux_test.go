package cli_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal opens a pseudo terminal of 100 columns and returns its two ends.
func terminal(t *testing.T) (here, there *os.File) {
	t.Helper()
	here, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { here.Close() })
	fd := int(here.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 100})
	}
	if err != nil {
		t.Fatal(err)
	}
	there, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return here, there
}

// onTerminal runs the program with both outputs on a terminal and returns all that it showed.
func onTerminal(t *testing.T, variables []string, args ...string) string {
	t.Helper()
	here, there := terminal(t)
	cmd := exec.Command(program, args...)
	cmd.Env = append(append(os.Environ(), "TERM=xterm", "NO_COLOR="), variables...)
	cmd.Stdout, cmd.Stderr = there, there
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	there.Close()
	var shown strings.Builder
	// Reading ends with EIO once the last writer has closed the terminal.
	if _, err := io.Copy(&shown, here); err != nil && !errors.Is(err, syscall.EIO) {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, shown.String())
	}
	return shown.String()
}

func TestOnATerminalThereAreColourAndAProgressLineAndNothingFromTheEngine(t *testing.T) {
	tree := write(t, garden)
	apply := func(variables ...string) string {
		data := filepath.Join(t.TempDir(), "data")
		return onTerminal(t, variables, "schema", "apply", "--tree", tree, "--embedded", data)
	}
	shown := apply()
	for _, want := range []string{"\r\x1b[Kapplying 4/6 garden.beds", "\x1b[32mapplied\x1b[0m  table     garden.beds", "\x1b[32mconverged\x1b[0m"} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is not shown in\n%q", want, shown)
		}
	}
	if strings.Contains(shown, "Fatal") || strings.Contains(shown, "<Error>") {
		t.Errorf("the engine's log is shown:\n%s", shown)
	}
	plain := apply("NO_COLOR=1")
	if strings.Contains(plain, "\x1b[3") || !strings.Contains(plain, "\x1b[K") {
		t.Errorf("with NO_COLOR there are colours, or no progress line:\n%q", plain)
	}
}
