// Package cluster runs a cluster on one machine: several ClickHouse members, each a process with an engine of its own,
// around a real ZooKeeper, with faults on demand. It is the stage on which what concerns several replicas is tested and
// rehearsed.
package cluster
