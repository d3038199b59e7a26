package embedded

import (
	"bytes"
	"fmt"

	chproto "github.com/ClickHouse/ch-go/proto"
	"github.com/ClickHouse/clickhouse-go/v2/lib/column"
	"github.com/ClickHouse/clickhouse-go/v2/lib/proto"
)

// helloText is the first query of a clickhouse-go connection over HTTP.
const helloText = "SELECT displayName(), version(), revision(), timezone()"

func isHello(text []byte) bool { return string(bytes.TrimSpace(text)) == helloText }

// hello answers clickhouse-go's first query. The library prints Native at
// protocol revision 0 whatever a client says it speaks (client_protocol_version);
// clickhouse-go decodes this one answer at the revision it asked for, and all
// others at the revision() it reads here. So this answer is encoded as asked for
// and says 0.
func (s *Server) hello(w *work) error {
	block := proto.NewBlock()
	for _, field := range []struct {
		name, kind string
		value      any
	}{
		{"displayName()", "String", "embedded"},
		{"version()", "String", s.version},
		{"revision()", "UInt32", uint32(0)},
		{"timezone()", "String", s.timezone},
	} {
		if err := addValue(block, field.name, field.kind, field.value); err != nil {
			return fmt.Errorf("embedded engine: greeting a client: %w", err)
		}
	}
	var buffer chproto.Buffer
	if err := block.Encode(&buffer, w.protocol); err != nil {
		return fmt.Errorf("embedded engine: greeting a client: %w", err)
	}
	if err := w.reply.begin("Native", nil, len(buffer.Buf)); err != nil {
		return err
	}
	if err := w.reply.write(buffer.Buf); err != nil {
		return err
	}
	return w.reply.end()
}

func addValue(block *proto.Block, name, kind string, value any) error {
	if err := block.AddColumn(name, column.Type(kind)); err != nil {
		return err
	}
	return block.Columns[len(block.Columns)-1].AppendRow(value)
}
