package cli

import (
	"fmt"
	"strings"

	"github.com/dfe-engine/dfe/catalog"
	"github.com/dfe-engine/dfe/engine/adopt"
)

// adoptedRelease is what a tree that was made out of a server begins with.
const adoptedRelease = "1.0.0"

// adopted says what was written, as JSON.
type adopted struct {
	Version   int             `json:"version"`
	Directory string          `json:"directory"`
	Files     []string        `json:"files"`
	Objects   int             `json:"objects"`
	LeftOut   []adopt.LeftOut `json:"left_out"`
	// AccessUnreadable is why roles, users and what else says who may do what could not be read.
	AccessUnreadable string `json:"access_unreadable,omitempty"`
}

// adopt writes what a server has as a schema tree.
func (a *app) adopt(live *catalog.Catalog, list []*catalog.Object, dir string) error {
	made, err := adopt.New(adoptedRelease, list)
	if err != nil {
		return err
	}
	if err := made.Write(dir); err != nil {
		return err
	}
	doc := adopted{Version: 1, Directory: dir, Files: []string{}, Objects: made.Objects, LeftOut: made.LeftOut}
	if a := live.Access; a != nil && a.Unreadable != nil {
		doc.AccessUnreadable = a.Unreadable.Error()
	}
	for _, f := range made.Files {
		doc.Files = append(doc.Files, f.Name)
	}
	if a.format == formatJSON {
		err = a.writeJSON(doc)
	} else {
		_, err = fmt.Fprint(a.Out, doc.text())
	}
	if err == nil && (len(doc.LeftOut) > 0 || doc.AccessUnreadable != "") {
		return exit{ExitDifferences}
	}
	return err
}

func (d *adopted) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s declares %s, in %s\n", d.Directory, count(d.Objects, "object"), count(len(d.Files), "file"))
	if d.AccessUnreadable != "" {
		fmt.Fprintf(&b, "left out: who may do what: %s\n", d.AccessUnreadable)
	}
	for _, o := range d.LeftOut {
		fmt.Fprintf(&b, "left out: %s %s: %s\n", o.Kind, o.Name, o.Reason)
	}
	return b.String()
}
