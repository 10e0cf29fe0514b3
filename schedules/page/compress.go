package page

import (
	"net/http"

	"github.com/klauspost/compress/gzhttp"
)

// leastCompressed is the length of the shortest answer that is compressed, in bytes.
const leastCompressed = 2 << 10

// compressed sends texts as gzip or zstd to clients that accept it. What is packed already, such as Parquet and the
// warehouse, goes as it is.
func compressed(next http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(leastCompressed), gzhttp.ContentTypes([]string{"text/html", "text/css", "text/csv",
		"text/plain", "application/json", "application/atom+xml", "image/svg+xml"}))
	if err != nil {
		panic(err) // our own settings
	}
	packed := wrap(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == askPath { // an answer that is cut off must not end like a whole one
			next.ServeHTTP(w, r)
			return
		}
		packed.ServeHTTP(w, r)
	})
}
