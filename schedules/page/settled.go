package page

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/warehouse"
)

// settled marks the pages that only the published version and the hour decide, so that a browser which has one is told so
// without a statement. What is said relative to now (seen two days ago) is of that hour.
func (s *site) settled(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		version, err := os.Stat(warehouse.Path(s.Dir))
		if err != nil || r.Method != http.MethodGet {
			next(w, r)
			return
		}
		sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %s %s %s %s", version.Size(), version.ModTime().UnixNano(), s.Version, s.form,
			s.Now().UTC().Truncate(time.Hour), r.URL.RequestURI()))
		tag := `W/"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
		w.Header().Set("Cache-Control", "private, no-cache")
		w.Header().Set("ETag", tag)
		for given := range strings.SplitSeq(r.Header.Get("If-None-Match"), ",") {
			if strings.TrimSpace(given) == tag {
				w.WriteHeader(http.StatusNotModified)
				return
			}
		}
		next(w, r)
	}
}
