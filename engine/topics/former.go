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

// TellFormer puts topics that nothing declares any more into the report, with what the run found of them: it was asked
// about them in [Runner.Beside].
func (r *Report) TellFormer(known []Former) {
	for _, f := range known {
		switch read, asked := r.Beside[f.Name]; {
		case !asked:
			f.Presence = NotAsked
		case read.Unreadable != "":
			f.Presence, f.Error = Unreadable, read.Unreadable
		case read.Topic == nil:
			f.Presence = Gone
		default:
			f.Presence, f.Size = Live, stateOf(own(read.Topic))
		}
		r.Former = append(r.Former, &f)
	}
}
