// Package kafka holds what Apache Kafka says of its words: the configurations of a topic, the values each takes and the
// spelling a broker answers with. Names and texts go in, small structs and texts come out; no broker is asked. A test of
// package engine/topics compares what is written here with a real one.
package kafka
