package catalog_test

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dfe-engine/dfe/catalog"
)

// open tries a target that cannot work and returns the fault.
func open(t *testing.T, target catalog.Target) *catalog.ConnectError {
	t.Helper()
	if target.DialTimeout == 0 {
		target.DialTimeout = 30 * time.Second
	}
	conn, err := catalog.Open(t.Context(), target)
	if err == nil {
		conn.Close()
		t.Fatalf("Open(%s) succeeded", target)
	}
	var fault *catalog.ConnectError
	if !errors.As(err, &fault) {
		t.Fatalf("Open(%s) = %T %v, want a *catalog.ConnectError", target, err, err)
	}
	return fault
}

func demand(t *testing.T, fault *catalog.ConnectError, want catalog.Fault, words ...string) {
	t.Helper()
	if fault.Fault != want {
		t.Errorf("%q is %q, want %q", fault, fault.Fault, want)
	}
	for _, word := range words {
		if !strings.Contains(fault.Error(), word) {
			t.Errorf("%q does not say %q", fault, word)
		}
	}
}

// answers serves one fixed answer to every request.
func answers(t *testing.T, status int, code int, body string) *httptest.Server {
	t.Helper()
	return httptest.NewServer(fixed(status, code, body))
}

func fixed(status, code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if code != 0 {
			w.Header().Set("X-ClickHouse-Exception-Code", strconv.Itoa(code))
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

// quietTLS keeps what the server logs about refused handshakes out of the test's output.
func quietTLS(t *testing.T, handler http.Handler) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	return server
}

func listen(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			serve(c)
		}
	}()
	return l.Addr().String()
}

func TestARefusedConnectionIsNotUpYet(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	for _, scheme := range []string{"clickhouse", "clickhouses", "http", "https"} {
		demand(t, open(t, catalog.Target{URL: scheme + "://" + address}), catalog.NotUp, "refused", address, "start it")
	}
}

func TestASilentServerIsNotUpYet(t *testing.T) {
	address := listen(t, func(c net.Conn) { t.Cleanup(func() { c.Close() }) })
	for _, scheme := range []string{"clickhouse", "clickhouses", "http", "https"} {
		target := catalog.Target{URL: scheme + "://" + address, DialTimeout: 50 * time.Millisecond}
		demand(t, open(t, target), catalog.NotUp, "no answer within the time to connect")
	}
}

func TestAServerThatHangsUpIsNotUpYet(t *testing.T) {
	address := listen(t, func(c net.Conn) { c.Close() })
	for _, scheme := range []string{"clickhouse", "clickhouses", "http", "https"} {
		demand(t, open(t, catalog.Target{URL: scheme + "://" + address}), catalog.NotUp, "closed before any answer")
	}
}

func TestAHostThatDoesNotResolveIsNotUpYet(t *testing.T) {
	demand(t, open(t, catalog.Target{URL: "http://no-such-host.invalid:8123"}), catalog.NotUp, "does not resolve")
}

func TestAnAnswerOfTheServerDecidesByItsCode(t *testing.T) {
	for _, c := range []struct {
		status, code int
		body         string
		want         catalog.Fault
		words        string
	}{
		{403, 516, "Code: 516. DB::Exception: default: Authentication failed. (AUTHENTICATION_FAILED)", catalog.Broken, "refuses the user or the password"},
		{403, 193, "Code: 193. DB::Exception: Wrong password. (WRONG_PASSWORD)", catalog.Broken, "correct the user and the password"},
		{404, 81, "Code: 81. DB::Exception: Database x does not exist. (UNKNOWN_DATABASE)", catalog.Broken, "the database in the URL does not exist"},
		{403, 497, "Code: 497. DB::Exception: Not enough privileges. (ACCESS_DENIED)", catalog.Broken, "grant it"},
		{403, 195, "Code: 195. DB::Exception: Not allowed. (IP_ADDRESS_NOT_ALLOWED)", catalog.Broken, "address"},
		{500, 695, "Code: 695. DB::Exception: Load job failed. (ASYNC_LOAD_WAIT_FAILED)", catalog.NotUp, "not ready"},
		{500, 202, "Code: 202. DB::Exception: Too many. (TOO_MANY_SIMULTANEOUS_QUERIES)", catalog.NotUp, "code 202"},
		{500, 1002, "Code: 1002. DB::Exception: Odd. (UNKNOWN_EXCEPTION)", catalog.Broken, "code 1002: Odd."},
		{502, 0, "bad gateway", catalog.NotUp, "HTTP status 502"},
		{503, 0, "", catalog.NotUp, "HTTP status 503"},
		{401, 0, "", catalog.Broken, "correct the user and the password"},
		{404, 0, "<html>", catalog.Broken, "no ClickHouse"},
		{200, 0, "<html>hello</html>", catalog.Broken, "no ClickHouse"},
	} {
		server := answers(t, c.status, c.code, c.body)
		demand(t, open(t, catalog.Target{URL: server.URL}), c.want, c.words)
		server.Close()
	}
}

func TestACertificateNobodyTrustsIsBroken(t *testing.T) {
	server := quietTLS(t, fixed(200, 0, "no ClickHouse either"))
	defer server.Close()
	for _, scheme := range []string{"https", "clickhouses"} {
		target := catalog.Target{URL: scheme + "://" + server.Listener.Addr().String()}
		demand(t, open(t, target), catalog.Broken, "certificate is not trusted", "name the CA")
	}
}

func TestTheCAFileIsTrusted(t *testing.T) {
	server := quietTLS(t, fixed(200, 0, "no ClickHouse"))
	defer server.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(ca, block, 0o600); err != nil {
		t.Fatal(err)
	}
	demand(t, open(t, catalog.Target{URL: server.URL, CAFile: ca}), catalog.Broken, "what answers there is no ClickHouse")
}

func TestTLSToAPlainPortIsBroken(t *testing.T) {
	server := answers(t, 200, 0, "")
	defer server.Close()
	address := server.Listener.Addr().String()
	for _, scheme := range []string{"https", "clickhouses"} {
		demand(t, open(t, catalog.Target{URL: scheme + "://" + address}), catalog.Broken, "does not speak TLS")
	}
}

func TestTheNativeProtocolToAnHTTPPortIsBroken(t *testing.T) {
	address := listen(t, func(c net.Conn) {
		fmt.Fprint(c, "HTTP/1.1 400 Bad Request\r\n\r\n")
		t.Cleanup(func() { c.Close() })
	})
	demand(t, open(t, catalog.Target{URL: "clickhouse://" + address}), catalog.Broken, "no ClickHouse", "9000")
}

func TestACancelledOpenIsNoFaultOfTheServer(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	address := listen(t, func(c net.Conn) {
		t.Cleanup(func() { c.Close() })
		cancel()
	})
	_, err := catalog.Open(ctx, catalog.Target{URL: "http://" + address})
	if !errors.Is(err, context.Canceled) || catalog.IsNotUp(err) {
		t.Fatalf("Open = %v, want context.Canceled", err)
	}
}

func TestNoErrorShowsThePassword(t *testing.T) {
	const secret = "pa55-w0rd"
	refused := answers(t, 403, 516, "Code: 516. DB::Exception: Authentication failed. (AUTHENTICATION_FAILED)")
	defer refused.Close()
	host := refused.Listener.Addr().String()
	for _, target := range []catalog.Target{
		{URL: "http://someone:" + secret + "@" + host},
		{URL: "http://" + host, User: "someone", Password: secret},
		{URL: "http://someone:" + secret + "@127.0.0.1:1"},
		{URL: "http://someone:" + secret + "@127.0.0.1:1/%zz"},
		{URL: "ftp://someone:" + secret + "@127.0.0.1:1"},
		{URL: "http://127.0.0.1:1/?password=" + secret},
	} {
		_, err := catalog.Open(t.Context(), target)
		if err == nil {
			t.Fatal("Open succeeded")
		}
		for _, text := range []string{err.Error(), target.String(), fmt.Sprint(target)} {
			if strings.Contains(text, secret) {
				t.Errorf("%q shows the password", text)
			}
		}
	}
}
