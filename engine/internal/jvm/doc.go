// Package jvm runs the Java programs that stand beside the product: a Kafka broker in tests, and the ZooKeeper of a cluster of
// embedded members.
//
// [Pinned] is what a program is made of: a pom.xml, and the SHA-256 of every file it brings. [Pinned.Fetch] gets the files
// from Maven Central by way of mvn, once for a machine, into the user's cache directory, and never hands out a file with
// another checksum. [Start] runs a program until it is killed or this process is gone, however that ended. After
// a change of a pom.xml, sums.sh run beside it writes SHA256SUMS anew.
package jvm
