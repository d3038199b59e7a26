package embedded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// LibraryVariable is the environment variable that names the engine's library
// file. Its value is the operator's own word: the file is loaded as it is, with
// no checksum, so that a library built or mirrored by the operator can be used.
const LibraryVariable = "DFE_EMBEDDED_LIBRARY"

// Version is the pinned version of the engine's package. It carries ClickHouse
// 26.7.2.1.
const Version = "26.7.3-stable.1"

// Origin says where a library was found.
type Origin string

// The places a library can come from, in the order they are tried.
const (
	OriginVariable  Origin = "environment" // DFE_EMBEDDED_LIBRARY, or Options.Library
	OriginCache     Origin = "cache"       // installed by an earlier run
	OriginSystem    Origin = "system"      // the loader's path, same bytes as the pin
	OriginInstalled Origin = "installed"   // fetched by this call
)

// Library is a library file that may be loaded.
type Library struct {
	Path   string
	Origin Origin
}

// ErrUnsupportedPlatform is wrapped by the error of Locate on a platform for
// which this release pins no engine.
var ErrUnsupportedPlatform = errors.New("no engine is pinned for this platform")

// ErrTampered is wrapped by the error of Locate when a library is not, byte for
// byte, the pinned one.
var ErrTampered = errors.New("the file is not the pinned engine")

// pin is what this release knows of the engine's package on one platform.
type pin struct {
	platform string // GOOS-GOARCH; the name of the directory under npm/
	pkg      string
	file     string // library file inside the package
	size     int64  // bytes
	sha256   string // of the library file, hex
}

// pinFor returns the pin of a platform. The sums were computed from the
// packages themselves; a platform whose package could not be read is not
// pinned, because a sum nobody has seen protects nobody.
func pinFor(goos, goarch string) (pin, error) {
	platform := goos + "-" + goarch
	if platform == "linux-amd64" {
		return pin{
			platform: platform,
			pkg:      "@chdb/lib-linux-x64-gnu",
			file:     "libchdb.so",
			size:     566330096,
			sha256:   "36ad4e999882821ef13cf2d0f52c93f48e6ee1b4498b35a201c23ce4b8d15bf5",
		}, nil
	}
	remedy := "the engine has no build for it; use a ClickHouse server instead"
	if pkg, ok := publishedFor(platform); ok {
		remedy = fmt.Sprintf("install the npm package %s@%s yourself and set %s to its libchdb.so",
			pkg, Version, LibraryVariable)
	}
	return pin{}, fmt.Errorf("embedded engine on %s/%s: %w: %s", goos, goarch, ErrUnsupportedPlatform, remedy)
}

// publishedFor names the package of a platform that upstream builds for.
func publishedFor(platform string) (string, bool) {
	switch platform {
	case "linux-arm64":
		return "@chdb/lib-linux-arm64-gnu", true
	case "darwin-arm64":
		return "@chdb/lib-darwin-arm64", true
	case "darwin-amd64":
		return "@chdb/lib-darwin-x64", true
	}
	return "", false
}

// LocateOptions says where to look for the library.
type LocateOptions struct {
	// Library names the file and wins over everything, as DFE_EMBEDDED_LIBRARY does.
	Library string
	// CacheDir is the directory the library is installed under; default: the
	// directory dfe/engine in the user's cache directory.
	CacheDir string
	// Progress gets a line while the library is fetched: live on a terminal,
	// else one at the start and one at the end. Nil is silent.
	Progress io.Writer
}

// Locate returns the engine's library, installing it when this machine does not
// have it yet. It looks at Library and DFE_EMBEDDED_LIBRARY, the user's cache
// directory, the system's library path, and then fetches the pinned npm package.
//
// What is promised: a library that Locate found by itself had, when it was last
// read in full, exactly the pinned SHA-256. It is read in full on installation
// and whenever its size or modification time differs from the record made then;
// a file that does not have the sum is an error wrapping ErrTampered and is
// never loaded. This finds truncation, corruption and replacement; it is no
// protection from someone who can write to the user's cache directory, since the
// record lies beside the file.
func Locate(ctx context.Context, o LocateOptions) (Library, error) {
	if named := o.Library; named != "" {
		return operatorLibrary(named, "Options.Library")
	}
	if named := os.Getenv(LibraryVariable); named != "" {
		return operatorLibrary(named, LibraryVariable)
	}
	p, err := pinFor(runtime.GOOS, runtime.GOARCH)
	if err != nil {
		return Library{}, err
	}
	return locate(ctx, o, p, systemPath())
}

func operatorLibrary(path, source string) (Library, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Library{}, fmt.Errorf("embedded engine: the library named by %s cannot be read: %w", source, err)
	}
	if !info.Mode().IsRegular() {
		return Library{}, fmt.Errorf("embedded engine: %s names %s, which is not a file", source, path)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return Library{}, fmt.Errorf("embedded engine: %s: %w", path, err)
	}
	return Library{Path: abs, Origin: OriginVariable}, nil
}

func locate(ctx context.Context, o LocateOptions, p pin, system []string) (Library, error) {
	root := o.CacheDir
	if root == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return Library{}, fmt.Errorf("embedded engine: no cache directory for its library: %w: set %s or HOME",
				err, LibraryVariable)
		}
		root = filepath.Join(cache, "dfe", "engine")
	}
	dir := filepath.Join(root, Version)
	cached := filepath.Join(dir, p.file)
	var unread *fs.PathError
	switch err := verify(cached, dir, p); {
	case err == nil:
		return Library{Path: cached, Origin: OriginCache}, nil
	case !errors.Is(err, fs.ErrNotExist) && errors.As(err, &unread):
		return Library{}, unusableCache(dir, err)
	case !errors.Is(err, fs.ErrNotExist):
		return Library{}, err
	}
	for _, d := range system {
		path := filepath.Join(d, p.file)
		// A library of another build is not an error here: it belongs to
		// someone else. It is used only when its operator names it.
		if info, err := os.Stat(path); err != nil || info.Size() != p.size {
			continue
		}
		if verify(path, dir, p) == nil {
			return Library{Path: path, Origin: OriginSystem}, nil
		}
	}
	if err := install(ctx, dir, p, o.Progress); err != nil {
		return Library{}, err
	}
	return Library{Path: cached, Origin: OriginInstalled}, nil
}

// systemPath lists the directories the dynamic loader reads.
func systemPath() []string {
	variable := "LD_LIBRARY_PATH"
	if runtime.GOOS == "darwin" {
		variable = "DYLD_LIBRARY_PATH"
	}
	var dirs []string
	for _, d := range filepath.SplitList(os.Getenv(variable)) {
		if filepath.IsAbs(strings.TrimSpace(d)) {
			dirs = append(dirs, d)
		}
	}
	return append(dirs, "/usr/local/lib", "/usr/lib", "/usr/lib64", "/lib")
}
