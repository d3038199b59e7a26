package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dfe-engine/dfe/lang/typo"
)

// Unknown returns a sentence for each variable of an environment that has the engine's prefix and that it does not know:
// misspelt, it would be ignored without a word. environ is as [os.Environ] gives it; no sentence holds a value.
func Unknown(environ []string) []string {
	known := []string{}
	for _, v := range Variables() {
		known = append(known, v.Name)
	}
	names := []string{}
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, prefix) && !slices.Contains(known, name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	names = withoutServices(names)
	slices.Sort(names)
	sentences := []string{}
	for _, name := range names {
		advice := typo.Suggest(name, known)
		if advice == "" {
			advice = ` "dfe help environment" lists those there are.`
		}
		sentences = append(sentences, fmt.Sprintf("the environment has %s, which is no variable of dfe and is ignored.%s", name, advice))
	}
	return sentences
}

// withoutServices leaves out what Kubernetes puts into every container of a namespace that has a service called dfe-engine
// or dfe-engine-something: DFE_ENGINE_SERVICE_HOST, and beside it DFE_ENGINE_SERVICE_PORT, DFE_ENGINE_PORT and their like.
func withoutServices(names []string) []string {
	var services []string
	for _, name := range names {
		if service, is := strings.CutSuffix(name, "_SERVICE_HOST"); is {
			services = append(services, service)
		}
	}
	return slices.DeleteFunc(names, func(name string) bool {
		return slices.ContainsFunc(services, func(service string) bool {
			rest, of := strings.CutPrefix(name, service)
			return of && (strings.HasPrefix(rest, "_SERVICE_") || rest == "_PORT" || strings.HasPrefix(rest, "_PORT_"))
		})
	})
}
