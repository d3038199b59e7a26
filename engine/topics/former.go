package topics

// Presence says whether a topic that nothing declares any more is still on the bus.
type Presence string

// The answers.
const (
	Live       Presence = "live"
	Gone       Presence = "gone"
	Unreadable Presence = "unreadable"
	NotAsked   Presence = "unread" // the bus was not asked, or did not answer
)

// Former is a topic that the ledger records and that nothing declares any more. It is reported and never deleted: what is
// in it may still be wanted.
type Former struct {
	Scope string `json:"scope"`
	Name  string `json:"name"`
	// Release is the schema release that recorded it. Newer says that it is newer than the one at hand: then it is that one
	// which declares the topic.
	Release  string   `json:"schemas"`
	Newer    bool     `json:"newer,omitempty"`
	Presence Presence `json:"presence"`
	// Size is what is there, of a live topic.
	Size *State `json:"live,omitempty"`
	// Error is why it could not be read, in the broker's words.
	Error string `json:"error,omitempty"`
}

// former says what the bus has of the topics that nothing declares any more.
func (w *work) former() []*Former {
	list := unaskedFormer(w.Former)
	for _, f := range list {
		switch read := w.found[f.Name]; {
		case read.Unreadable != "":
			f.Presence, f.Error = Unreadable, read.Unreadable
		case read.Topic == nil:
			f.Presence = Gone
		default:
			f.Presence, f.Size = Live, stateOf(own(read.Topic))
		}
	}
	return list
}

func unaskedFormer(known []Former) []*Former {
	var list []*Former
	for _, f := range known {
		f.Presence = NotAsked
		list = append(list, &f)
	}
	return list
}
