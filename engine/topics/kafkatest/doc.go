// Package kafkatest gives tests a real Apache Kafka: one broker a test binary, in KRaft mode on loopback with a
// directory that is thrown away, started by the first test that asks. It listens in plain text, with SASL, with TLS, and
// with both; a policy caps the size of messages as hosted clusters do, and an authorizer holds a guest to its ACLs.
//
// The broker's files come from Maven Central by way of mvn, pinned by pom.xml and checked against SHA256SUMS, once for a
// machine: into the user's cache directory. A Java 17 runtime runs them. A test package that uses it runs its tests
// through Main:
//
//	func TestMain(m *testing.M) { kafkatest.Main(m) }
package kafkatest

//go:generate sh ../../internal/jvm/sums.sh
