package rules

import "fmt"

// Platform is where a definition is rendered for.
type Platform string

// The platforms.
const (
	SelfHosted Platform = "self_hosted"
	Cloud      Platform = "cloud"
	Embedded   Platform = "embedded"
)

// Platforms lists them in the order of the documents.
func Platforms() []Platform { return []Platform{SelfHosted, Cloud, Embedded} }

// ParsePlatform returns the platform of that name.
func ParsePlatform(name string) (Platform, error) {
	for _, p := range Platforms() {
		if string(p) == name {
			return p, nil
		}
	}
	return "", fmt.Errorf("platform %q is not known: it is self_hosted, cloud or embedded", name)
}
