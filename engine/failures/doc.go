// Package failures holds no code, only the laws of the product on members that fail: engines that boot at once, a holder
// that is killed, hangs or loses its answers, members and majorities that are down, deployments that lack what a
// replicated schema needs, and the lease on a cluster whose members come and go.
//
// Its tests run on the stage of package engine/embedded/cluster, or on a real cluster of two replicas and more that
// DFE_TEST_CLUSTER_URLS names, whose databases dfe and otel, and roles of the core release, they drop. On a real cluster
// what needs a member to fail is skipped. What is left to chance follows a seed, which a run that fails has printed:
//
//	go test ./engine/failures -args -failures.seed=N
//
// The holder is killed at every statement of a pass. In a plain run the next boot is killed as well, some statements on, and
// so on until one comes to its end; with the variable below the one after each kill comes to its end, which takes minutes
// more:
//
//	DFE_TEST_FAILURES=all go test ./engine/failures -timeout 30m
//
// # What is real and what is cut short
//
// An engine that is killed is a process that gets SIGKILL between two statements, one that hangs gets SIGSTOP; ways to
// members are cut in between, where the client's request or the server's answer passes. The 30 s that a lease stands and
// the 3 s that rivals are waited for are real wherever two engines are alive at once. Where the other one is known to be
// dead (its process was waited for) the next one's clock is set forward instead of waiting; see hurried.
package failures
