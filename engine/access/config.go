package access

import (
	"crypto/pbkdf2"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/engine/embedded"
	"github.com/dfe-engine/dfe/lang/access"
	"github.com/dfe-engine/dfe/lang/canon"
)

// elementName is what can be the name of an element, and no path in Poco's configuration.
var elementName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a strings.Builder does not fail
	return b.String()
}

// writer writes elements.
type writer struct{ strings.Builder }

func (w *writer) element(name, text string) {
	fmt.Fprintf(w, "<%s>%s</%s>", name, escape(text), name)
}

// config is users.xml, or the reason why it cannot say what is there.
func (s *state) config() (embedded.AccessConfig, error) {
	for _, o := range s.objects() {
		name := o.ID().Name
		if p, isPolicy := o.(*ast.RowPolicy); isPolicy {
			name = p.Short
		}
		if !elementName.MatchString(name) {
			return embedded.AccessConfig{}, cannot("the name %q: letters, digits, _ and - make one", name)
		}
	}
	c := embedded.AccessConfig{}
	var err error
	for _, section := range []struct {
		into  *string
		write func(*writer) error
	}{{&c.Profiles, s.profiles}, {&c.Users, s.users}, {&c.Roles, s.roles}, {&c.Quotas, s.quotas}} {
		w := &writer{}
		if err = section.write(w); err != nil {
			return embedded.AccessConfig{}, err
		}
		*section.into = w.String()
	}
	return c, nil
}

func (s *state) profiles(w *writer) error {
	for _, p := range s.Profiles {
		if p.To != nil && (p.To.All || len(p.To.Names) > 0) {
			return cannot("whom a settings profile is for: write SETTINGS PROFILE %s in the user", ast.QuoteIdent(p.Name))
		}
		fmt.Fprintf(w, "<%s>", p.Name)
		if err := s.profileElements(w, p.Settings); err != nil {
			return err
		}
		fmt.Fprintf(w, "</%s>\n", p.Name)
	}
	return nil
}

func (s *state) profileElements(w *writer, settings []ast.ProfileSetting) error {
	var bounds writer
	for i := range settings {
		e := &settings[i]
		if e.Profile != "" {
			if e.Profile != "default" && !s.has(ast.KindSettingsProfile, e.Profile) {
				return unknown(ast.KindSettingsProfile, e.Profile)
			}
			w.element("profile", e.Profile)
			continue
		}
		if !elementName.MatchString(e.Name) {
			return cannot("the setting %q", e.Name)
		}
		if e.Value != nil {
			w.element(e.Name, literal(e.Value))
		}
		if e.Min == nil && e.Max == nil && e.Writability == "" {
			continue
		}
		fmt.Fprintf(&bounds, "<%s>", e.Name)
		if e.Min != nil {
			bounds.element("min", literal(e.Min))
		}
		if e.Max != nil {
			bounds.element("max", literal(e.Max))
		}
		switch e.Writability {
		case "CONST":
			bounds.WriteString("<const/>")
		case "WRITABLE":
			bounds.WriteString("<writable/>")
		case "CHANGEABLE_IN_READONLY":
			return cannot("CHANGEABLE_IN_READONLY, for which the engine needs a setting it does not read")
		}
		fmt.Fprintf(&bounds, "</%s>", e.Name)
	}
	if bounds.Len() > 0 {
		fmt.Fprintf(w, "<constraints>%s</constraints>", bounds.String())
	}
	return nil
}

// literal is the text of a value without quotes.
func literal(n *ast.Node) string {
	if n.Kind == ast.String {
		return n.Text
	}
	return n.String()
}

func (s *state) roles(w *writer) error {
	for _, r := range s.Roles {
		if len(r.Settings) > 0 {
			return cannot("settings of a role: write them into a settings profile and name that in the user")
		}
		fmt.Fprintf(w, "<%s>%s</%s>\n", r.Name, grants(r.Rights), r.Name)
	}
	return nil
}

// nobody stands for the grantee while a statement is printed: in users.xml it has none.
const nobody = "dfe_nobody"

// grants is the list of statements, which the engine carries out when it reads them.
func grants(rights []ast.Right) string {
	w := &writer{}
	w.WriteString("<grants>")
	for _, r := range rights {
		text := ast.GrantSQL([]ast.Right{r}, []string{nobody}, false)[0]
		for _, word := range []string{" TO " + nobody, " FROM " + nobody} {
			text = strings.Replace(text, word, "", 1)
		}
		w.element("query", text)
	}
	w.WriteString("</grants>")
	return w.String()
}

func (s *state) users(w *writer) error {
	for _, u := range s.Users {
		fmt.Fprintf(w, "<%s>%s", u.Name, authentication(u.Proofs))
		if err := hosts(w, u.Hosts); err != nil {
			return err
		}
		if err := s.userClauses(w, u); err != nil {
			return err
		}
		w.WriteString(grants(u.Rights))
		if err := s.filters(w, u.Name); err != nil {
			return err
		}
		fmt.Fprintf(w, "</%s>\n", u.Name)
	}
	return nil
}

func (s *state) userClauses(w *writer, u *user) error {
	switch {
	case u.DefaultRoles != nil && (!u.DefaultRoles.All || len(u.DefaultRoles.Except) > 0):
		return cannot("default roles other than all")
	case u.Grantees != nil && (!u.Grantees.All || len(u.Grantees.Except) > 0):
		return cannot("GRANTEES other than ANY")
	case len(u.Settings) > 1 || len(u.Settings) == 1 && u.Settings[0].Profile == "":
		return cannot("settings of a user besides one PROFILE: write them into a settings profile")
	}
	for _, e := range u.Settings {
		if e.Profile != "default" && !s.has(ast.KindSettingsProfile, e.Profile) {
			return unknown(ast.KindSettingsProfile, e.Profile)
		}
		w.element("profile", e.Profile)
	}
	if u.DefaultDatabase != "" {
		w.element("default_database", u.DefaultDatabase)
	}
	var quota string
	for _, q := range s.Quotas {
		if q.To == nil || !slices.Contains(q.To.Names, u.Name) {
			continue
		}
		if quota != "" {
			return cannot("two quotas of one user, %s and %s", quota, q.Name)
		}
		quota = q.Name
		w.element("quota", quota)
	}
	return nil
}

func hosts(w *writer, list []ast.Host) error {
	w.WriteString("<networks>")
	if len(list) == 0 {
		w.element("ip", "::/0")
	}
	for _, h := range list {
		switch h.Kind {
		case "ANY":
			w.element("ip", "::/0")
		case "NONE":
		case "LOCAL":
			w.element("host", "localhost")
		case "IP":
			w.element("ip", h.Value)
		case "NAME":
			w.element("host", h.Value)
		case "REGEXP":
			w.element("host_regexp", h.Value)
		default:
			return cannot("HOST %s", h.Kind)
		}
	}
	w.WriteString("</networks>")
	return nil
}

// filters are the row policies of a user. users.xml has one for each table, named as the user.
func (s *state) filters(w *writer, name string) error {
	byDatabase := map[string]*writer{}
	var order []string
	for _, p := range s.Policies {
		if err := s.policyFits(p); err != nil {
			return err
		}
		if p.Short != name {
			continue
		}
		db := p.Table.Database
		if byDatabase[db] == nil {
			byDatabase[db] = &writer{}
			order = append(order, db)
		}
		fmt.Fprintf(byDatabase[db], "<%s><filter>%s</filter></%s>", p.Table.Name, escape(p.Filter.String()), p.Table.Name)
	}
	if len(order) == 0 {
		return nil
	}
	w.WriteString("<databases>")
	for _, db := range order {
		fmt.Fprintf(w, "<%s>%s</%s>", db, byDatabase[db].String(), db)
	}
	w.WriteString("</databases>")
	return nil
}

func (s *state) policyFits(p *ast.RowPolicy) error {
	switch {
	case p.Restrictive:
		return cannot("a restrictive row policy")
	case p.Table.Name == "" || p.Table.Database == "":
		return cannot("a row policy on a whole database, or on a table without one")
	case p.Filter == nil:
		return cannot("a row policy without a condition")
	case p.To == nil || p.To.All || !slices.Equal(p.To.Names, []string{p.Short}) || s.user(p.Short) == nil:
		return cannot("a row policy by another name than that of the one user it is for: CREATE ROW POLICY app ON %s USING ... TO app", p.Table.SQL())
	case !elementName.MatchString(p.Table.Database) || !elementName.MatchString(p.Table.Name):
		return cannot("a row policy on %s, whose name is no XML name", p.Table.SQL())
	}
	return nil
}

func (s *state) quotas(w *writer) error {
	for _, q := range s.Quotas {
		if q.To != nil {
			for _, name := range q.To.Names {
				if s.user(name) == nil {
					return cannot("a quota for anybody but users by name: %s is none", name)
				}
			}
			if q.To.All {
				return cannot("a quota for all")
			}
		}
		fmt.Fprintf(w, "<%s>", q.Name)
		switch key := strings.Join(q.Key, ","); key {
		case "user_name":
		case "ip_address":
			w.WriteString("<keyed_by_ip/>")
		case "forwarded_ip_address":
			w.WriteString("<keyed_by_forwarded_ip/>")
		case "client_key,user_name":
			w.WriteString("<keyed/>")
		case "normalized_query_hash":
			w.WriteString("<keyed_by_normalized_query_hash/>")
		default:
			return cannot("the key %q of a quota: user_name, ip_address, forwarded_ip_address, normalized_query_hash, or client_key with user_name", key)
		}
		for _, bits := range []struct {
			name string
			n    uint64
		}{{"ipv4_prefix_bits", q.IPv4Bits}, {"ipv6_prefix_bits", q.IPv6Bits}} {
			if bits.n > 0 {
				w.element(bits.name, strconv.FormatUint(bits.n, 10))
			}
		}
		// users.xml takes numbers alone: '1T' is written as the one it is.
		counted := canon.Object(q, canon.Env{}).(*ast.Quota).Intervals
		for _, i := range q.Intervals {
			at := slices.IndexFunc(counted, func(c ast.QuotaInterval) bool { return c.Seconds == i.Seconds })
			w.WriteString("<interval>")
			w.element("duration", strconv.FormatUint(i.Seconds, 10))
			if i.Randomized {
				w.element("randomize", "1")
			}
			for _, l := range i.Limits {
				value := l.Value
				if value.Kind == ast.String {
					value = counted[at].Limits[slices.IndexFunc(counted[at].Limits, func(c ast.Setting) bool { return c.Name == l.Name })].Value
				}
				w.element(l.Name, literal(value))
			}
			w.WriteString("</interval>")
		}
		fmt.Fprintf(w, "</%s>\n", q.Name)
	}
	return nil
}

// proofs are the ways in which a user proves who he is, as users.xml says them: passwords as hashes.
func proofs(st *access.Statement, u *ast.User) ([]string, error) {
	list := []string{}
	for i := range u.Auth {
		text, err := proof(st, i, &u.Auth[i])
		if err != nil {
			return nil, err
		}
		if text == noPassword && len(u.Auth) > 1 {
			return nil, embedded.NewException(36, "BAD_ARGUMENTS", "The authentication method 'no_password' cannot co-exist with other authentication methods")
		}
		list = append(list, text)
	}
	return list, nil
}

const noPassword = "<no_password/>"

// authentication is the element, or the elements, of a user's proofs.
func authentication(proofs []string) string {
	switch len(proofs) {
	case 0:
		return noPassword
	case 1:
		return proofs[0]
	}
	var w writer
	w.WriteString("<auth_methods>")
	for i, p := range proofs {
		fmt.Fprintf(&w, "<method%d>%s</method%d>", i+1, p, i+1)
	}
	w.WriteString("</auth_methods>")
	return w.String()
}

// proof is one of them.
func proof(st *access.Statement, i int, a *ast.Authentication) (string, error) {
	if a.ValidUntil != "" {
		return "", cannot("VALID UNTIL")
	}
	password, literal := st.Password(i)
	value := func(word string) string {
		for _, v := range a.Values {
			if v.Name == word {
				return v.Value.Text
			}
		}
		return ""
	}
	w := &writer{}
	switch a.Method {
	case "no_password":
		return noPassword, nil
	case "ldap":
		w.WriteString("<ldap>")
		w.element("server", value("SERVER"))
		w.WriteString("</ldap>")
		return w.String(), nil
	case "http":
		if scheme := value("SCHEME"); scheme != "" && !strings.EqualFold(scheme, "basic") {
			return "", cannot("the scheme %q", scheme)
		}
		w.WriteString("<http_authentication>")
		w.element("server", value("SERVER"))
		w.WriteString("<scheme>basic</scheme></http_authentication>")
		return w.String(), nil
	case "kerberos":
		w.WriteString("<kerberos>")
		if realm := value("REALM"); realm != "" {
			w.element("realm", realm)
		}
		w.WriteString("</kerberos>")
		return w.String(), nil
	case "ssl_certificate":
		w.WriteString("<ssl_certificates>")
		for _, v := range a.Values {
			w.element(map[string]string{"CN": "common_name", "SAN": "subject_alt_name"}[v.Name], v.Value.Text)
		}
		w.WriteString("</ssl_certificates>")
		return w.String(), nil
	}
	if !literal {
		return "", embedded.NewException(36, "BAD_ARGUMENTS", "A password is given as a text in quotes here")
	}
	return hashed(a.Method, password)
}

// hashed is a password, or its hash, as an element.
func hashed(method, password string) (string, error) {
	w := &writer{}
	switch method {
	case "plaintext_password":
		w.element("password", password)
	case "", "sha256_password":
		sum := sha256.Sum256([]byte(password))
		w.element("password_sha256_hex", hex.EncodeToString(sum[:]))
	case "sha256_hash":
		w.element("password_sha256_hex", strings.ToLower(password))
	case "double_sha1_password":
		first := sha1.Sum([]byte(password))
		second := sha1.Sum(first[:])
		w.element("password_double_sha1_hex", hex.EncodeToString(second[:]))
	case "double_sha1_hash":
		w.element("password_double_sha1_hex", strings.ToLower(password))
	case "scram_sha256_password":
		// RFC 5802 with ClickHouse's 4096 rounds; users.xml has no place for a salt.
		const rounds = 4096
		key, err := pbkdf2.Key(sha256.New, password, nil, rounds, sha256.Size)
		if err != nil {
			return "", err
		}
		w.element("password_scram_sha256_hex", hex.EncodeToString(key))
	case "scram_sha256_hash":
		w.element("password_scram_sha256_hex", strings.ToLower(password))
	default:
		return "", cannot("the authentication %s", method)
	}
	return w.String(), nil
}
