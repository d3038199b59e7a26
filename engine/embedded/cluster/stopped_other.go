//go:build !linux

package cluster

// stopped takes the system's word: a signal is on its way.
func stopped(int) bool { return true }
