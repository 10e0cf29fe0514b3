package console

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/fleetlake/fleetlake/pipeline/wording"
)

// WriteExplanation writes the history of a vessel for people. Its errors are those of the writer.
func WriteExplanation(w io.Writer, e wording.Explanation) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n", e.VesselID, wording.Printable(cmp.Or(e.Name, "(name unknown)")))
	for _, line := range wording.VesselLines(e) {
		fmt.Fprintf(&b, "  %-12s  %s\n", line.Name, wording.Printable(line.Words))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
