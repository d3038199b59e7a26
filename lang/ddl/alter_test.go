package ddl_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dfe-engine/dfe/lang/ddl"
)

func TestAltersAreReadAndPrinted(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"alter table d.t add column if not exists a UInt8 default 1 codec(ZSTD) after b, drop column if exists c", "ALTER TABLE d.t ADD COLUMN IF NOT EXISTS `a` UInt8 DEFAULT 1 CODEC(ZSTD) AFTER `b`, DROP COLUMN IF EXISTS `c`"},
		{"ALTER TABLE t MODIFY COLUMN a TTL d + INTERVAL 1 DAY FIRST", "ALTER TABLE t MODIFY COLUMN `a` TTL d + INTERVAL 1 DAY FIRST"},
		{"ALTER TABLE t ALTER COLUMN a TYPE String", "ALTER TABLE t MODIFY COLUMN `a` String"},
		{"ALTER TABLE t MODIFY COLUMN a REMOVE DEFAULT", "ALTER TABLE t MODIFY COLUMN `a` REMOVE DEFAULT"},
		{"ALTER TABLE t MODIFY COLUMN a MODIFY SETTING x = 1", "ALTER TABLE t MODIFY COLUMN `a` MODIFY SETTING x = 1"},
		{"ALTER TABLE t MODIFY COLUMN a RESET SETTING x, y", "ALTER TABLE t MODIFY COLUMN `a` RESET SETTING x, y"},
		{"ALTER TABLE t MODIFY COLUMN a ADD ENUM VALUES ('x' = 3, 'y')", "ALTER TABLE t MODIFY COLUMN `a` ADD ENUM VALUES ('x' = 3, 'y')"},
		{"ALTER TABLE t RENAME COLUMN IF EXISTS a TO n.b", "ALTER TABLE t RENAME COLUMN IF EXISTS `a` TO `n.b`"},
		{"ALTER TABLE t COMMENT COLUMN a 'x'", "ALTER TABLE t COMMENT COLUMN `a` 'x'"},
		{"ALTER TABLE t CLEAR COLUMN a IN PARTITION tuple(), MATERIALIZE COLUMN b", "ALTER TABLE t CLEAR COLUMN `a` IN PARTITION tuple ( ), MATERIALIZE COLUMN `b`"},
		{"ALTER TABLE t ADD INDEX i a TYPE minmax GRANULARITY 2 AFTER j, DROP INDEX k", "ALTER TABLE t ADD INDEX i a TYPE minmax GRANULARITY 2 AFTER `j`, DROP INDEX `k`"},
		{"ALTER TABLE t ADD PROJECTION p (SELECT a ORDER BY a), MATERIALIZE PROJECTION p", "ALTER TABLE t ADD PROJECTION p (SELECT a ORDER BY a), MATERIALIZE PROJECTION `p`"},
		{"ALTER TABLE t ADD CONSTRAINT c CHECK a > 1, DROP CONSTRAINT e", "ALTER TABLE t ADD CONSTRAINT c CHECK a > 1, DROP CONSTRAINT `e`"},
		{"ALTER TABLE t ADD STATISTICS a, b TYPE tdigest, uniq", "ALTER TABLE t ADD STATISTICS a, b TYPE tdigest, uniq"},
		{"ALTER TABLE t DROP STATISTICS a", "ALTER TABLE t DROP STATISTICS a"},
		{"ALTER TABLE t MODIFY ORDER BY (a, b), MODIFY SAMPLE BY a, REMOVE SAMPLE BY", "ALTER TABLE t MODIFY ORDER BY (a, b), MODIFY SAMPLE BY a, REMOVE SAMPLE BY"},
		{"ALTER TABLE t MODIFY TTL d DELETE WHERE a SETTINGS materialize_ttl_after_modify = 0", "ALTER TABLE t MODIFY TTL d DELETE WHERE a SETTINGS materialize_ttl_after_modify = 0"},
		{"ALTER TABLE t REMOVE TTL", "ALTER TABLE t REMOVE TTL"},
		{"ALTER TABLE t MODIFY SETTING a = 1, b = 2", "ALTER TABLE t MODIFY SETTING a = 1, b = 2"},
		{"ALTER TABLE t RESET SETTING a, b", "ALTER TABLE t RESET SETTING a, b"},
		{"ALTER TABLE t MODIFY COMMENT 'x'", "ALTER TABLE t MODIFY COMMENT 'x'"},
		{"ALTER TABLE v MODIFY QUERY SELECT 1", "ALTER TABLE v MODIFY QUERY SELECT 1"},
		{"ALTER TABLE v MODIFY REFRESH EVERY 2 HOUR", "ALTER TABLE v MODIFY REFRESH EVERY 2 HOUR"},
		{"ALTER TABLE v MODIFY SQL SECURITY INVOKER", "ALTER TABLE v MODIFY SQL SECURITY INVOKER"},
		{"ALTER TABLE t ON CLUSTER c UPDATE a = 1, b = 2 WHERE d, DELETE WHERE e", "ALTER TABLE t ON CLUSTER c UPDATE a = 1, b = 2 WHERE d, DELETE WHERE e"},
		{"ALTER TABLE t UPDATE a = 1, b = c + 2 IN PARTITION ID 'x' WHERE d", "ALTER TABLE t UPDATE a = 1, b = c + 2 IN PARTITION ID 'x' WHERE d"},
		{"ALTER TABLE t (DROP COLUMN a), (DROP COLUMN b)", "ALTER TABLE t DROP COLUMN `a`, DROP COLUMN `b`"},
		{"ALTER TABLE t DETACH PARTITION (1, 2), DROP COLUMN a", "ALTER TABLE t DETACH PARTITION ( 1 , 2 ), DROP COLUMN `a`"},
		{"ALTER TABLE t INVENT SOMETHING", "ALTER TABLE t INVENT SOMETHING"},
		{"ALTER TABLE t ADD", "ALTER TABLE t ADD"},
		{"ALTER TABLE t MODIFY", "ALTER TABLE t MODIFY"},
		{"ALTER TABLE t DROP", "ALTER TABLE t DROP"},
	} {
		a, err := ddl.ParseAlter(c.src)
		if err != nil {
			t.Errorf("%s: %v", c.src, err)
			continue
		}
		if got := a.String(); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.src, got, c.want)
		}
		again, err := ddl.ParseAlter(a.String())
		if err != nil {
			t.Errorf("%s cannot be read: %v", a, err)
		} else if diff := cmp.Diff(a, again, sameTree()); diff != "" {
			t.Errorf("%s: %s", a, diff)
		}
	}
}
