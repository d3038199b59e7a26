package embedded

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// request is what an HTTP request asks of the engine beside its text.
type request struct {
	query         string // the query parameter: the beginning of the text
	queryID       string
	database      string
	defaultFormat string // of the result, unless the text names one
	settings      []param
	params        []param
	roles         []string
	readOnly      bool // GET: the statement may not change anything

	waitEnd    bool
	compress   bool // answer in ClickHouse's compressed blocks
	zstd       bool // with ZSTD in them
	decompress bool // the body is in ClickHouse's compressed blocks
	encoding   string
	protocol   uint64 // client_protocol_version

	session        string
	sessionCheck   bool
	sessionTimeout time.Duration
}

// readRequest reads the URL and the headers.
func readRequest(r *http.Request) (request, error) {
	values := r.URL.Query()
	q := request{
		query:          values.Get("query"),
		queryID:        values.Get("query_id"),
		database:       first(values.Get("database"), r.Header.Get("X-ClickHouse-Database")),
		defaultFormat:  first(r.Header.Get("X-ClickHouse-Format"), values.Get("default_format"), "TabSeparated"),
		roles:          values["role"],
		readOnly:       r.Method != http.MethodPost,
		waitEnd:        isTrue(values.Get("wait_end_of_query")),
		compress:       isTrue(values.Get("compress")),
		decompress:     isTrue(values.Get("decompress")),
		zstd:           strings.EqualFold(values.Get("network_compression_method"), "ZSTD"),
		session:        values.Get("session_id"),
		sessionCheck:   isTrue(values.Get("session_check")),
		sessionTimeout: 60 * time.Second,
	}
	if text := values.Get("client_protocol_version"); text != "" {
		n, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			return q, raise(codeBadArguments, "BAD_ARGUMENTS", "client_protocol_version=%s is not a number", text)
		}
		q.protocol = n
	}
	if text := values.Get("session_timeout"); text != "" {
		n, err := strconv.ParseUint(text, 10, 32)
		if err != nil || n == 0 || n > 3600 {
			return q, raise(codeBadArguments, "BAD_ARGUMENTS", "session_timeout=%s is not a number of seconds from 1 to 3600", text)
		}
		q.sessionTimeout = time.Duration(n) * time.Second
	}
	if values.Get("enable_http_compression") != "0" {
		q.encoding = chooseEncoding(r.Header.Get("Accept-Encoding"))
	}
	if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") {
		return q, raise(codeNotImplemented, "NOT_IMPLEMENTED", "The embedded server takes no external tables (multipart requests): create a temporary table in a session instead")
	}
	for name, list := range values {
		value := list[len(list)-1]
		if bound, ok := strings.CutPrefix(name, "param_"); ok {
			q.params = append(q.params, param{bound, value})
			continue
		}
		if ownParameter(name) {
			continue
		}
		if !settingName.MatchString(name) {
			return q, raise(codeUnknownSetting, "UNKNOWN_SETTING", "Unknown setting '%s'", name)
		}
		q.settings = append(q.settings, param{name, value})
	}
	// readonly goes last: it forbids to set what comes after it.
	slices.SortFunc(q.settings, func(a, b param) int {
		if (a.name == "readonly") != (b.name == "readonly") {
			if a.name == "readonly" {
				return 1
			}
			return -1
		}
		return strings.Compare(a.name, b.name)
	})
	return q, nil
}

// ownParameter reports the URL parameters that are not settings.
// (ClickHouse, Server/HTTPHandler.cpp)
func ownParameter(name string) bool {
	switch name {
	case "query", "query_id", "database", "default_format", "role", "user", "password", "quota_key",
		"wait_end_of_query", "buffer_size", "compress", "decompress", "client_protocol_version",
		"session_id", "session_check", "session_timeout", "stacktrace":
		return true
	}
	return false
}

// setting is the value a setting has in the request.
func (q request) setting(name string) (string, bool) {
	for _, s := range q.settings {
		if s.name == name {
			return s.value, true
		}
	}
	return "", false
}

// credentials are the user and password of a request, wherever they are given.
func credentials(r *http.Request, values url.Values) (user, password string) {
	if user, password, ok := r.BasicAuth(); ok {
		return user, password
	}
	return first(r.Header.Get("X-ClickHouse-User"), values.Get("user"), "default"),
		first(r.Header.Get("X-ClickHouse-Key"), values.Get("password"))
}

// SameMachine reports whether a request was addressed to this machine by a name
// that means this machine. A page in a browser can send requests here, but only
// under a name of its own (DNS rebinding) or with its own origin.
func SameMachine(r *http.Request) bool {
	if r.Header.Get("Origin") != "" {
		return false
	}
	// A page's images and links carry no Origin; browsers say whose they are.
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "none" {
		return false
	}
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return host == "" || isLoopback(strings.Trim(host, "[]"))
}

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

func isTrue(text string) bool { return text == "1" || strings.EqualFold(text, "true") }
