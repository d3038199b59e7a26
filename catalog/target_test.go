package catalog_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dfe-engine/dfe/catalog"
)

func TestATargetThatNamesNoServerSaysWhatToGive(t *testing.T) {
	for _, c := range []struct {
		target catalog.Target
		words  string
	}{
		{catalog.Target{}, "no server is named"},
		{catalog.Target{URL: "localhost:8123"}, "use clickhouse, clickhouses, http or https"},
		{catalog.Target{URL: "mysql://localhost"}, `the scheme "mysql"`},
		{catalog.Target{URL: "http://"}, "write http://host:8123"},
		{catalog.Target{URL: "127.0.0.1:8123"}, "has no scheme"},
		{catalog.Target{URL: "http:h:8123"}, "has no scheme"},
		{catalog.Target{URL: "://h"}, "cannot be read"},
		{catalog.Target{URL: "http://:8123"}, "names no host"},
		{catalog.Target{URL: "http://h:port"}, "percent-encoded"},
		{catalog.Target{URL: "http://h:99999"}, "the port 99999: give one from 1 to 65535"},
		{catalog.Target{URL: "clickhouses://h:0"}, "clickhouses://host:9440"},
		{catalog.Target{URL: "http://h:18446744073709551616"}, "from 1 to 65535"},
		{catalog.Target{URL: "http://[::1:8123"}, "cannot be read"},
		{catalog.Target{URL: "http://a b"}, "cannot be read"},
		{catalog.Target{URL: "http://h#x"}, "has a #"},
		{catalog.Target{URL: "http://h?dial_timeout=%zz"}, "behind the ?"},
		{catalog.Target{URL: "http://h?max_threads=1"}, `the parameter "max_threads"`},
		{catalog.Target{URL: "http://h?dial_timeout=soon"}, `dial_timeout="soon" is no duration`},
		{catalog.Target{URL: "http://h", CAFile: "ca.pem"}, "use https:// or leave them out"},
		{catalog.Target{URL: "https://h", CertFile: "c.pem"}, "a client certificate needs its key"},
		{catalog.Target{URL: "http://h", Password: "a", PasswordFile: "b"}, "keep one"},
	} {
		_, err := catalog.Open(t.Context(), c.target)
		var fault *catalog.TargetError
		if !errors.As(err, &fault) || !strings.Contains(fault.Error(), c.words) {
			t.Errorf("Open(%q) = %v, want a *catalog.TargetError saying %q", c.target.URL, err, c.words)
		}
	}
}

// Each is a password with a character that a URL has another use for.
func TestAURLThatAPasswordBreaksShowsNoPartOfIt(t *testing.T) {
	for _, url := range []string{"http://u:hid#den@h", "http://u:12#hidden@h", "http://u:12?hidden@h", "http://u:12/hidden@h:port", "http://u:hid%zzden@h", "http://u:hid den@h", "u:hidden@h", "hidden"} {
		err := catalog.Target{URL: url}.Check()
		var fault *catalog.TargetError
		if !errors.As(err, &fault) || strings.Contains(err.Error(), "hid") || strings.Contains(err.Error(), "den") {
			t.Errorf("Check(%q) = %v", url, err)
		}
	}
}
