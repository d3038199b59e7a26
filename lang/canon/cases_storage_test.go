package canon_test

func storageCases() []caseTest {
	var list []caseTest
	same := func(id, desired, live string) {
		list = append(list, caseTest{id: id, live: tail(live), desired: tail(desired)})
	}
	differs := func(id, desired, live, path string) {
		list = append(list, caseTest{id: id, live: tail(live), desired: tail(desired), want: path})
	}
	element := func(id, desired, live, path string) {
		list = append(list, caseTest{id: id, live: with(live), desired: with(desired), want: path})
	}
	const granularity = " SETTINGS index_granularity = 8192"
	same("S45 TTL interval", "ENGINE = MergeTree ORDER BY k TTL ts + INTERVAL 30 DAY DELETE", "ENGINE = MergeTree ORDER BY k TTL ts + toIntervalDay(30)"+granularity)
	differs("S45 another period", "ENGINE = MergeTree ORDER BY k TTL ts + INTERVAL 31 DAY", "ENGINE = MergeTree ORDER BY k TTL ts + toIntervalDay(30)"+granularity, "ttl")
	same("S46 TTL with WHERE", "ENGINE = MergeTree ORDER BY k TTL ts + INTERVAL 1 MONTH DELETE WHERE v = 1, ts + INTERVAL 1 YEAR",
		"ENGINE = MergeTree ORDER BY k TTL ts + toIntervalMonth(1) WHERE v = 1, ts + toIntervalYear(1)"+granularity)
	differs("S46 a rule less", "ENGINE = MergeTree ORDER BY k TTL ts + INTERVAL 1 MONTH DELETE WHERE v = 1",
		"ENGINE = MergeTree ORDER BY k TTL ts + toIntervalMonth(1) WHERE v = 1, ts + toIntervalYear(1)"+granularity, "ttl")
	same("S47 TTL moves", "ENGINE = MergeTree ORDER BY k TTL ts + INTERVAL 1 DAY RECOMPRESS CODEC(ZSTD(17)), ts + INTERVAL 3 DAY TO DISK 'cold'",
		"ENGINE = MergeTree ORDER BY k TTL ts + toIntervalDay(1) RECOMPRESS CODEC(ZSTD(17)), ts + toIntervalDay(3) TO DISK 'cold'"+granularity)
	differs("S47 another codec", "ENGINE = MergeTree ORDER BY k TTL ts + INTERVAL 1 DAY RECOMPRESS CODEC(ZSTD(3))", "ENGINE = MergeTree ORDER BY k TTL ts + toIntervalDay(1) RECOMPRESS CODEC(ZSTD(17))"+granularity, "ttl")
	differs("S47 another disk", "ENGINE = MergeTree ORDER BY k TTL ts + INTERVAL 3 DAY TO DISK 'ice'", "ENGINE = MergeTree ORDER BY k TTL ts + toIntervalDay(3) TO DISK 'cold'"+granularity, "ttl")
	same("S50 no key", "ENGINE = MergeTree ORDER BY ()", "ENGINE = MergeTree ORDER BY tuple()"+granularity)
	same("S50 one key", "ENGINE = MergeTree PARTITION BY (toYYYYMM(ts)) ORDER BY (k)", "ENGINE = MergeTree PARTITION BY toYYYYMM(ts) ORDER BY k"+granularity)
	same("S50 descending", "ENGINE = MergeTree ORDER BY (k DESC, b ASC)", "ENGINE = MergeTree ORDER BY tuple(k DESC, b)"+granularity)
	differs("S50 direction is real", "ENGINE = MergeTree ORDER BY (k DESC)", "ENGINE = MergeTree ORDER BY tuple(k)"+granularity, "order_by")
	same("S51 primary key alone", "ENGINE = MergeTree PRIMARY KEY (k, b)", "ENGINE = MergeTree PRIMARY KEY (k, b) ORDER BY (k, b)"+granularity)
	same("S51 sorting key alone", "ENGINE = MergeTree ORDER BY (k, b)", "ENGINE = MergeTree PRIMARY KEY (k, b) ORDER BY (k, b)"+granularity)
	differs("S52 a grown key", "ENGINE = MergeTree ORDER BY (k, v)", "ENGINE = MergeTree PRIMARY KEY k ORDER BY (k, v)"+granularity, "primary_key")
	differs("S53 another partition key", "ENGINE = MergeTree PARTITION BY d ORDER BY k", "ENGINE = MergeTree PARTITION BY toYYYYMM(d) ORDER BY k"+granularity, "partition_by")
	same("S54 granularity is always shown", "ENGINE = MergeTree ORDER BY k", mt)
	differs("S54 another granularity", "ENGINE = MergeTree ORDER BY k", "ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 1024", "setting.index_granularity")
	same("S55 settings are a set of values", "ENGINE = MergeTree ORDER BY k SETTINGS ttl_only_drop_parts = true, merge_with_ttl_timeout = '86400', min_bytes_for_wide_part = '10Mi'",
		"ENGINE = MergeTree ORDER BY k SETTINGS min_bytes_for_wide_part = 10485760, merge_with_ttl_timeout = 86400, ttl_only_drop_parts = 1, index_granularity = 8192")
	differs("S56 a setting removed", "ENGINE = MergeTree ORDER BY k", "ENGINE = MergeTree ORDER BY k SETTINGS ttl_only_drop_parts = 0, index_granularity = 8192", "setting.ttl_only_drop_parts")
	same("a session setting is not the table's", "ENGINE = MergeTree ORDER BY k SETTINGS max_threads = 2, allow_suspicious_low_cardinality_types = 1", mt)
	same("S57 clause order", "ENGINE = MergeTree ORDER BY k PARTITION BY d TTL ts + INTERVAL 1 DAY SETTINGS index_granularity = 8192 COMMENT 'x'",
		"ENGINE = MergeTree PARTITION BY d ORDER BY k TTL ts + toIntervalDay(1) SETTINGS index_granularity = 8192 COMMENT 'x'")
	element("S58 index defaults", "INDEX i (k, s) TYPE minmax, INDEX j (s) TYPE minmax()", "INDEX i (k, s) TYPE minmax GRANULARITY 1, INDEX j s TYPE minmax GRANULARITY 1", "")
	element("S58 text indexes take the whole part", "INDEX i s TYPE text(tokenizer = 'ngrams') GRANULARITY 4", "INDEX i s TYPE text(tokenizer = 'ngrams') GRANULARITY 100000000", "")
	element("a tokenizer in three words", "INDEX i s TYPE text(tokenizer = ngrams())", "INDEX i s TYPE text(tokenizer = 'ngrams') GRANULARITY 100000000", "")
	element("another tokenizer", "INDEX i s TYPE text(tokenizer = ngrams(4))", "INDEX i s TYPE text(tokenizer = 'ngrams') GRANULARITY 100000000", "index.i.type")
	element("S59 changed index", "INDEX i s TYPE set(10)", "INDEX i s TYPE set(20) GRANULARITY 1", "index.i.type")
	element("S59 index granularity", "INDEX i s TYPE minmax GRANULARITY 2", "INDEX i s TYPE minmax GRANULARITY 1", "index.i.granularity")
	element("S60 assume", "CONSTRAINT c ASSUME (k < 100)", "CONSTRAINT c ASSUME k < 100", "")
	element("S60 check is no assume", "CONSTRAINT c CHECK k < 100", "CONSTRAINT c ASSUME k < 100", "constraint.c.kind")
	element("S61 projection", "PROJECTION p (SELECT k, s ORDER BY (s, k))", "PROJECTION p (SELECT k, s ORDER BY s, k)", "")
	element("S61 another projection", "PROJECTION p (SELECT k, s ORDER BY (k, s))", "PROJECTION p (SELECT k, s ORDER BY s, k)", "projection.p.query")
	same("S67 default replica path", "ENGINE = ReplicatedMergeTree ORDER BY k", "ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}') ORDER BY k"+granularity)
	same("S67 no arguments is whatever the server took", "ENGINE = ReplicatedMergeTree ORDER BY k", "ENGINE = ReplicatedMergeTree('/elsewhere', '{replica}') ORDER BY k"+granularity)
	differs("S67 another path", "ENGINE = ReplicatedMergeTree('/here', '{replica}') ORDER BY k", "ENGINE = ReplicatedMergeTree('/elsewhere', '{replica}') ORDER BY k"+granularity, "engine.replication")
	differs("S67 replicated is no plain table", "ENGINE = ReplicatedMergeTree ORDER BY k", mt, "engine.replication")
	same("S68 shared engines", "ENGINE = ReplacingMergeTree(v) ORDER BY k", "ENGINE = SharedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', v) ORDER BY k"+granularity)
	differs("S69 is_deleted", "ENGINE = ReplacingMergeTree(v, del) ORDER BY k", "ENGINE = ReplacingMergeTree(v) ORDER BY k"+granularity, "engine.args")
	differs("S70 policy of Distributed", "ENGINE = Distributed(c, inn, t, rand(), 'cold')", "ENGINE = Distributed('c', 'inn', 't', rand())", "engine.args")
	same("S70 names as strings", "ENGINE = Buffer(inn, t, 16, 10, 100, 1e4, 1000000, 1e7, 1e8)", "ENGINE = Buffer('inn', 't', 16, 10, 100, 10000., 1000000, 10000000., 100000000.)")
	same("the current database", "ENGINE = Merge(currentDatabase(), '^t')", "ENGINE = Merge('inn', '^t')")
	same("S72 passwords", "ENGINE = MySQL('h:3306', 'd', 't', 'u', 'secret')", "ENGINE = MySQL('h:3306', 'd', 't', 'u', '[HIDDEN]')")
	differs("S72 all but the password", "ENGINE = MySQL('h:3306', 'd', 't', 'w', 'secret')", "ENGINE = MySQL('h:3306', 'd', 't', 'u', '[HIDDEN]')", "engine.args")
	same("a format the server found out", "ENGINE = S3('http://pantry/jars.csv', 'cook', 'salt')", "ENGINE = S3('http://pantry/jars.csv', 'cook', '[HIDDEN]', 'CSV')")
	differs("what is no format was never found out", "ENGINE = File(CSV)", "ENGINE = File('CSV', 'jars.csv')", "engine.args")
	differs("without a signature", "ENGINE = S3('http://pantry/jars.csv', 'CSV')", "ENGINE = S3('http://pantry/jars.csv', 'NOSIGN', 'CSV')", "engine.args")
	same("headers stand anywhere", "ENGINE = S3('http://pantry/jars.csv', headers('jar' = 'fig'), CSV)", "ENGINE = S3('http://pantry/jars.csv', 'CSV', headers('jar' = '[HIDDEN]'))")
	differs("another header", "ENGINE = URL('http://pantry/jars', headers('lid' = 'fig'), CSV)", "ENGINE = URL('http://pantry/jars', 'CSV', headers('jar' = '[HIDDEN]'))", "engine.args")
	same("S73 spelling", "ENGINE = MergeTree() ORDER BY k", mt)
	differs("S73 another family", "ENGINE = ReplacingMergeTree ORDER BY k", mt, "engine.family")
	same("no engine is MergeTree", "PRIMARY KEY k", mt)
	differs("an argument the server evaluates", "ENGINE = Merge(hostName(), '^t')", "ENGINE = Merge('alpha', '^t')", "?engine.args")
	return list
}
