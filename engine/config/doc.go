// Package config reads the DFE_ENGINE_* variables of the environment, which is where a service and the command line
// take a server's address, its credentials and the engine's own limits from. A variable with an unusable value is an
// error that names the variable and what it accepts; a secret is never part of an error. The package reads no flag.
// Files are named here and read where they are used; [Config.CheckTarget], [Kafka.CheckFiles] and [CheckDirectory] find those
// that could not be, before anything is connected to.
package config
