package times

import (
	"testing"
	"time"
)

// TestNoLimitEndsWhatAnotherAllows, for statements that may take a moment, and for those that may take a day.
func TestNoLimitEndsWhatAnotherAllows(t *testing.T) {
	for _, statement := range []time.Duration{time.Millisecond, time.Second, time.Minute, time.Hour, 24 * time.Hour} {
		l := Of(statement)
		for what, path := range map[string][]time.Duration{
			"a statement, whose client is slow":      {l.Request, l.Queue, l.Statement, l.Piece},
			"a page, whose client is slow":           {l.Request, l.Request, Read, l.Page},
			"the answer of a statement on the page":  {l.Request, l.Queue, l.Statement, l.Page},
			"a file of a list, whose client is slow": {l.Request, l.Queue, l.Statement, l.Piece},
		} {
			sum := time.Duration(0)
			for _, part := range path {
				sum += part
			}
			if sum > l.Write() {
				t.Errorf("%s: %s takes %s, and the server writes for %s", statement, what, sum, l.Write())
			}
		}
		if l.Statement != statement || l.File < l.Piece || l.File < l.Page {
			t.Errorf("%s: %+v", statement, l)
		}
	}
}
