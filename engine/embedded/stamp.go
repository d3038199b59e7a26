package embedded

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// stamp is the record of one full reading of a library file. Reading 566 MB
// takes most of a second; comparing two numbers takes none, and they change
// whenever the file is written through the file system.
type stamp struct {
	Size    int64     `json:"size"`
	ModTime time.Time `json:"modified"`
	SHA256  string    `json:"sha256"`
}

// stampFile is where the record of a library lies: in the cache directory, also
// for a library found elsewhere, whose directory may not be ours to write.
func stampFile(path, dir string) string {
	sum := sha256.Sum256([]byte(path))
	return filepath.Join(dir, "checked-"+hex.EncodeToString(sum[:8])+".json")
}

// verify reports whether path holds the pinned library. The error wraps
// fs.ErrNotExist when there is no such file, ErrTampered when its bytes differ.
func verify(path, dir string, p pin) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("embedded engine: %w", err)
	}
	if info.Size() != p.size {
		return tampered(path, p, fmt.Sprintf("it has %d bytes instead of %d", info.Size(), p.size))
	}
	record := stampFile(path, dir)
	if known, err := readStamp(record); err == nil &&
		known.SHA256 == p.sha256 && known.Size == info.Size() && known.ModTime.Equal(info.ModTime()) {
		return nil
	}
	sum, err := hashFile(path)
	if err != nil {
		return fmt.Errorf("embedded engine: reading %s: %w", path, err)
	}
	if sum != p.sha256 {
		return tampered(path, p, fmt.Sprintf("its SHA-256 is %s instead of %s", sum, p.sha256))
	}
	// A record that cannot be written costs time at the next start, no more.
	if err := writeStamp(record, stamp{Size: info.Size(), ModTime: info.ModTime(), SHA256: sum}); err != nil &&
		!errors.Is(err, fs.ErrPermission) && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("embedded engine: recording the check of %s: %w", path, err)
	}
	return nil
}

func tampered(path string, p pin, how string) error {
	return fmt.Errorf("embedded engine: %s was not loaded: %w %s@%s: %s: delete it and it is fetched again",
		path, ErrTampered, p.pkg, Version, how)
}

func hashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // only read
	h := sha256.New()
	if _, err := io.CopyBuffer(h, f, make([]byte, 1<<20)); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func readStamp(path string) (stamp, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return stamp{}, err
	}
	var s stamp
	return s, json.Unmarshal(text, &s)
}

func writeStamp(path string, s stamp) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	// Written aside and renamed: another process reads it at any time.
	f, err := os.CreateTemp(filepath.Dir(path), ".checked-*")
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
