package rehearsal

import (
	"slices"
	"testing"

	"github.com/dfe-engine/dfe/lang/facts"
)

// The lists of what may run on the stage name what the engine has, so that a name that changes is not let through by
// accident; everything else stays outside.
func TestWhatRunsOnTheStageIsNamedAsTheEngineNamesIt(t *testing.T) {
	engines, functions := 0, 0
	for _, name := range facts.EngineNames() {
		if inside(name) {
			engines++
		}
	}
	for _, name := range facts.TableFunctionNames() {
		if harmless(name) {
			functions++
		}
	}
	if engines != 28 || functions != 19 {
		t.Errorf("%d engines and %d table functions run on the stage", engines, functions)
	}
	for _, name := range []string{"Kafka", "S3", "S3Queue", "PostgreSQL", "MySQL", "KeeperMap", "URL", "File", "Executable", "Remote"} {
		if inside(name) || !slices.Contains(facts.EngineNames(), name) {
			t.Errorf("engine %s may reach out of the process", name)
		}
	}
	for _, name := range []string{"s3", "url", "remote", "cluster", "mysql", "postgresql", "file", "executable", "disk"} {
		if !reaches(name) {
			t.Errorf("%s() may reach out of the process", name)
		}
	}
	if textOutside("ALTER TABLE shop.v MODIFY QUERY SELECT * FROM url('http://x.invalid', 'CSV', 'a String')") == "" || textOutside("ALTER TABLE shop.url ADD COLUMN url String") != "" {
		t.Error("a call in an ALTER is told from a name by its parenthesis")
	}
}
