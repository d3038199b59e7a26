package rehearsal

import (
	"slices"

	"github.com/dfe-engine/dfe/ast"
	"github.com/dfe-engine/dfe/lang/ddl"
)

// standIn is what takes the place of an object that cannot be on the stage: a database of the stage's own, a dictionary
// over nothing, a table with the columns. Nil for what has no columns written down.
func standIn(o ast.Object) ast.Object {
	switch o := o.(type) {
	case *ast.Database:
		return &ast.Database{Name: o.Name, Engine: &ast.Engine{Name: "Atomic"}}
	case *ast.Dictionary:
		naked := *o
		naked.Source = &ast.Source{Kind: "NULL", HasParens: true}
		return &naked
	case *ast.Table:
		return tableOf(o.Name, o.Columns, virtual(o))
	case *ast.View:
		return tableOf(o.Name, o.Columns, nil)
	case *ast.MaterializedView:
		return tableOf(o.Name, o.Columns, nil)
	}
	return nil
}

func tableOf(name ast.Name, columns, more []*ast.Column) ast.Object {
	t := &ast.Table{Name: name, Engine: &ast.Engine{Name: "Memory"}}
	for _, c := range columns {
		if c.Type == nil {
			return nil
		}
		t.Columns = append(t.Columns, &ast.Column{Name: c.Name, Type: c.Type, DefaultKind: c.DefaultKind, Default: c.Default})
	}
	if len(t.Columns) == 0 {
		return nil
	}
	for _, c := range more {
		if t.Column(c.Name) == nil {
			t.Columns = append(t.Columns, c)
		}
	}
	return t
}

// virtual are the virtual columns that views over such tables read, as columns that * leaves out (ClickHouse's pages on
// the Kafka engine and on file-like engines).
func virtual(t *ast.Table) []*ast.Column {
	types := [][2]string{}
	switch {
	case t.Engine == nil || inside(t.Engine.Name):
	case t.Engine.Name == "Kafka":
		types = [][2]string{{"_topic", "LowCardinality(String)"}, {"_key", "String"}, {"_offset", "UInt64"}, {"_partition", "UInt64"},
			{"_timestamp", "Nullable(DateTime)"}, {"_timestamp_ms", "Nullable(DateTime64(3))"}, {"_headers.name", "Array(String)"},
			{"_headers.value", "Array(String)"}, {"_raw_message", "String"}, {"_error", "String"}}
	case slices.Contains([]string{"S3", "S3Queue", "GCS", "OSS", "COSN", "AzureBlobStorage", "AzureQueue", "File", "FileLog", "HDFS", "URL", "Iceberg",
		"IcebergS3", "DeltaLake", "DeltaLakeS3"}, t.Engine.Name):
		types = [][2]string{{"_path", "LowCardinality(String)"}, {"_file", "LowCardinality(String)"}, {"_size", "Nullable(UInt64)"},
			{"_time", "Nullable(DateTime)"}}
	}
	var columns []*ast.Column
	for _, c := range types {
		if parsed, err := ddl.ParseType(c[1]); err == nil {
			columns = append(columns, &ast.Column{Name: c[0], Type: parsed, DefaultKind: ast.AliasColumn,
				Default: ast.N(ast.Func, "defaultValueOfTypeName", ast.N(ast.String, c[1]))})
		}
	}
	return columns
}
