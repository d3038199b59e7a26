package cli

import (
	"bufio"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// unmap lets go of the pages of the program's own file. Nearly all of them are mapped by the end of a pass, 30 MB, and a
// service that waits needs a tenth; what is needed again the kernel maps again, from its cache of the file. Only mappings
// that hold nothing but the file are touched (smaps: not writable, no anonymous page): of those nothing can be lost.
func unmap() {
	own, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer maps.Close()
	type mapping struct{ from, to uint64 }
	var at mapping
	var clean []mapping
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		words := strings.Fields(lines.Text())
		switch {
		case len(words) == 6 && strings.Contains(words[0], "-"):
			// 00400000-00ff3000 r-xp 00000000 08:01 1234 /usr/bin/dfe
			at = mapping{}
			if from, to, ok := strings.Cut(words[0], "-"); ok && words[5] == own && !strings.Contains(words[1], "w") {
				at.from, _ = strconv.ParseUint(from, 16, 64)
				at.to, _ = strconv.ParseUint(to, 16, 64)
			}
		case len(words) == 5 && strings.Contains(words[0], "-"):
			at = mapping{}
		case len(words) == 3 && words[0] == "Anonymous:" && words[1] == "0" && at.from < at.to:
			clean = append(clean, at)
		}
	}
	for _, m := range clean {
		// Advice that is not taken costs memory and nothing else.
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, uintptr(m.from), uintptr(m.to-m.from), unix.MADV_DONTNEED)
	}
}
