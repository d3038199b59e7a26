package cluster

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// stopped reports whether every thread of a process stands still: the system stops one after the other.
func stopped(pid int) bool {
	files, err := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task", "*", "stat"))
	if err != nil || len(files) == 0 {
		return true // it is gone
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the thread is gone
		}
		// The state is the word after the program's name, which is in brackets and may hold any character.
		if at := bytes.LastIndexByte(text, ')'); at < 0 || !bytes.HasPrefix(text[at+1:], []byte(" T")) {
			return false
		}
	}
	return true
}
