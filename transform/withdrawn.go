package transform

import (
	"strings"

	"github.com/fleetlake/fleetlake/extract/api"
	"github.com/fleetlake/fleetlake/extract/journal"
)

// withdraw notes which documented values the service accepts no more, by its refusal of the values that a run sends
// to learn the accepted ones. The latest refusal counts. Lists that cannot be read withdraw nothing.
func (b *Batch) withdraw(e *journal.Entry) {
	body, err := e.RawBody()
	if err != nil {
		return
	}
	lists, err := api.ParseAccepted(body)
	if err != nil {
		return
	}
	b.withdrawn = map[partitionKey]bool{}
	for _, p := range lists.Withdrawn() {
		b.withdrawn[partitionKey{api.ByType.Name, p.Kind, strings.ToLower(p.Value)}] = true
	}
}
