package engine

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/rules"
)

// VersionError is a server older than the release needs.
type VersionError struct{ Have, Need string }

func (e *VersionError) Error() string {
	return fmt.Sprintf("the server is ClickHouse %s and the schema release needs %s or newer: upgrade the server, or use an older release", e.Have, e.Need)
}

// cloudHosts is the domain of ClickHouse Cloud's services.
const cloudHosts = ".clickhouse.cloud"

// platform is the one to render for: the pinned one, or what the server says it is, or what its name says. A server
// without Keeper has no Replicated database to offer and is rendered for as the single node it is.
func (e *Engine) platform(facts *catalog.Facts) rules.Platform {
	switch {
	case e.options.Platform != "":
		return e.options.Platform
	case facts.Cloud:
		return rules.Cloud
	}
	if u, err := url.Parse(e.options.Target.URL); err == nil && strings.HasSuffix(u.Hostname(), cloudHosts) {
		return rules.Cloud
	}
	if !facts.Keeper {
		return rules.Embedded
	}
	return rules.SelfHosted
}

func checkVersion(facts *catalog.Facts, need string) error {
	if need != "" && !facts.AtLeast(need) {
		return &VersionError{facts.Version, need}
	}
	return nil
}
