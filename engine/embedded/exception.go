package embedded

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// Exception is ClickHouse's own error: its code, and its text from "DB::Exception:"
// to the code's name in brackets.
type Exception struct {
	Code int
	Text string
}

// Error is the exception as ClickHouse prints it.
func (e *Exception) Error() string { return fmt.Sprintf("Code: %d. %s", e.Code, e.Text) }

// The codes the front end raises by itself. (ClickHouse, ErrorCodes.cpp)
const (
	codeBadArguments      = 36
	codeNotImplemented    = 48
	codeSyntaxError       = 62
	codeUnknownSetting    = 115
	codeTooLarge          = 229 // QUERY_IS_TOO_LARGE
	codeOutfileNotAllowed = 358
	codeSessionNotFound   = 372
	codeSessionLocked     = 373
	codeCancelled         = 394
	codeAuthentication    = 516
	codeUnknownException  = 1002
)

// raise makes an exception of the front end's own.
func raise(code int, name, format string, args ...any) *Exception {
	return &Exception{Code: code, Text: "DB::Exception: " + fmt.Sprintf(format, args...) + ". (" + name + ")"}
}

// parseException reads what the library prints, "Code: N. DB::Exception: text".
func parseException(text string) *Exception {
	rest, ok := strings.CutPrefix(text, "Code: ")
	if ok {
		number, tail, found := strings.Cut(rest, ". ")
		if code, err := strconv.Atoi(number); found && err == nil {
			return &Exception{Code: code, Text: strings.TrimSpace(tail)}
		}
	}
	return &Exception{Code: codeUnknownException, Text: "DB::Exception: " + strings.TrimSpace(text) + " (UNKNOWN_EXCEPTION)"}
}

// status is the HTTP status ClickHouse gives an exception with.
// (ClickHouse, Server/HTTP/exceptionCodeToHTTPStatus.cpp)
func (e *Exception) status() int {
	switch e.Code {
	case 194: // REQUIRED_PASSWORD
		return http.StatusUnauthorized
	case 192, 193, 512, 516: // UNKNOWN_USER, WRONG_PASSWORD, SET_NON_GRANTED_ROLE, AUTHENTICATION_FAILED
		return http.StatusForbidden
	case 36, 427, // BAD_ARGUMENTS, CANNOT_COMPILE_REGEXP
		6, 25, 26, 27, 38, 41, 72, 376, 441, 675, 676, // CANNOT_PARSE_*
		53, 117, 321, // TYPE_MISMATCH, INCORRECT_DATA, VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE
		37, 62, 123, 167, 168, 223: // UNKNOWN_ELEMENT_IN_AST, SYNTAX_ERROR, UNKNOWN_TYPE_OF_AST_NODE, TOO_DEEP_AST, TOO_BIG_AST, UNEXPECTED_AST_STRUCTURE
		return http.StatusBadRequest
	case 46, 47, 50, 56, 60, 63, 73, 78, 81, 115, 152, 336, // UNKNOWN_*
		139: // NO_ELEMENTS_IN_CONFIG
		return http.StatusNotFound
	case 381: // HTTP_LENGTH_REQUIRED
		return http.StatusLengthRequired
	case codeTooLarge:
		return http.StatusRequestEntityTooLarge
	case codeNotImplemented:
		return http.StatusNotImplemented
	case 209, 76: // SOCKET_TIMEOUT, CANNOT_OPEN_FILE
		return http.StatusServiceUnavailable
	case 159: // TIMEOUT_EXCEEDED
		return http.StatusGatewayTimeout
	}
	return http.StatusInternalServerError
}
