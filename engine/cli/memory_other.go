//go:build !linux

package cli

// unmap is for Linux, where the memory of a service in a container is counted page by page.
func unmap() {}
