package page

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/load/dictionary"
	"github.com/fleetlake/fleetlake/warehouse"
)

// TestDictionaryOfThePublishedVersion checks that the status page links the data dictionary, that it is of
// the file that is published, and that it may load nothing.
func TestDictionaryOfThePublishedVersion(t *testing.T) {
	dir := harvested(t)
	c := open(t, Config{Dir: dir})
	if !strings.Contains(c.get("/"), `href="/dictionary"`) {
		t.Error("the status page does not link the dictionary")
	}
	status, header, page := c.ask("GET", "/dictionary", nil)
	if status != http.StatusOK || header.Get("Content-Security-Policy") != dictionary.Policy+"; frame-ancestors 'none'" {
		t.Errorf("%d %v", status, header)
	}
	for _, want := range []string{`id="vessels"`, `id="fleet_on"`, `id="lake.listings"`, `href="/"`, "Never null"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(page, dir) || !strings.Contains(page, "fleetlake-data/lake/listings/") {
		t.Error("the page has a path of this machine, or no example of the lake")
	}
	if strings.Contains(page, "<script") || strings.Contains(page, "style=") {
		t.Error("the page has what its policy refuses")
	}
	if err := os.Remove(warehouse.Path(dir)); err != nil {
		t.Fatal(err)
	}
	if status, _, page := c.ask("GET", "/dictionary", nil); status != http.StatusNotFound || !strings.Contains(page, "No night yet") {
		t.Errorf("without a published file: %d\n%s", status, page)
	}
}
