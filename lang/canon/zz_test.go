package canon_test
import ("testing";"github.com/dfe-engine/dfe/lang/ddl";"github.com/dfe-engine/dfe/ast")
func TestZZ(t *testing.T){
 o,err:=ddl.ParseStatement("CREATE TABLE x.y (a UInt8, b Array(UInt8)) ENGINE = Memory")
 t.Log(err); t.Log(show(o.(*ast.Table).Columns[0].Type), show(o.(*ast.Table).Columns[1].Type))
}
