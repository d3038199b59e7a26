package tree_test
import ("testing";"fmt";"github.com/dfe-engine/dfe/lang/facts";"github.com/dfe-engine/dfe/lang/ddl")
func TestDbg(t *testing.T){ n,err:=ddl.ParseType("Nullable(Array(String))"); fmt.Println(n,err,n.Kids[0]); fmt.Println(facts.TypeName("Uint63")); fmt.Println(facts.TypeName("Nullable")) }
