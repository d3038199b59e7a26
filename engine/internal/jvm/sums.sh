#!/bin/sh
# Writes SHA256SUMS of the current directory anew, after its pom.xml was changed.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mvn -q -B -f pom.xml org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies -DoutputDirectory="$work"
(cd "$work" && sha256sum ./*.jar | sed 's# \./# #') >SHA256SUMS
