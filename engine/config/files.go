package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dfe-engine/dfe/catalog"
)

// CheckTarget finds what keeps the server from being connected to as it is described, with no server: what does not fit
// together, and every file that cannot be used. Each fault names its variable.
func (c Config) CheckTarget() error {
	if err := c.Target.Check(); err != nil {
		return fmt.Errorf("the server's URL and the %s* variables do not fit together: %w", clickhouse, err)
	}
	return naming(clickhouse, c.Target.CheckFiles())
}

// CheckFiles finds every file of the bus that cannot be used, with no broker. Each fault names its variable. Where there
// is no bus, no file is looked at.
func (k Kafka) CheckFiles() error {
	if len(k.Brokers) == 0 {
		return nil
	}
	return naming(kafka, k.Bus().CheckFiles())
}

// naming puts before each file's fault the variables that name it.
func naming(prefix string, err error) error {
	if err == nil {
		return nil
	}
	all := []error{err}
	if joined, several := err.(interface{ Unwrap() []error }); several {
		all = joined.Unwrap()
	}
	suffix := map[catalog.FileUse]string{
		catalog.UseCA: "TLS_CA_FILE", catalog.UseCert: "TLS_CERT_FILE", catalog.UseKey: "TLS_KEY_FILE", catalog.UsePassword: "PASSWORD_FILE",
	}
	var faults []error
	for _, err := range all {
		var (
			fault *catalog.FileError
			names []string
		)
		if errors.As(err, &fault) {
			for _, use := range fault.Uses {
				names = append(names, prefix+suffix[use])
			}
		}
		faults = append(faults, fmt.Errorf("%s: %w", strings.Join(names, " and "), err))
	}
	return errors.Join(faults...)
}
