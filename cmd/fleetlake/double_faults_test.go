package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
)

// reset ends a connection without an answer, so that the client sees ECONNRESET.
func reset(c net.Conn, _ answer) {
	if tcp, ok := c.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
}

// hang answers nothing until the client goes away.
func hang(c net.Conn, _ answer) {
	c.SetDeadline(time.Now().Add(time.Minute))
	io.Copy(io.Discard, c)
}

// unpacked returns the content of a file of zstd frames, as far as they can be read.
func unpacked(file []byte) [][]byte {
	i := bytes.Index(file, []byte{0x28, 0xb5, 0x2f, 0xfd})
	if i < 0 {
		return nil
	}
	r, err := zstd.NewReader(bytes.NewReader(file[i:]))
	if err != nil {
		return nil
	}
	defer r.Close()
	plain, _ := io.ReadAll(io.LimitReader(r, 64<<20))
	return [][]byte{plain}
}

// always has a fault on every request.
func always(f fault) func(call) fault { return func(call) fault { return f } }

// on has a fault on some paths alone.
func on(f fault, paths ...string) func(call) fault {
	return func(c call) fault {
		if slices.Contains(paths, c.path) {
			return f
		}
		return fault{}
	}
}

// onPages has a fault on the pages of the list that have vessels.
func onPages(f fault) func(call) fault {
	return func(c call) fault {
		if c.path == typeSearch && !c.probe && c.asked != "country=Tonga" {
			return f
		}
		return fault{}
	}
}

// first has a fault on the first so many requests of each of some paths.
func first(n int, f fault, paths ...string) func(call) fault {
	return func(c call) fault {
		if c.nth <= n && !c.probe {
			return on(f, paths...)(c)
		}
		return fault{}
	}
}

// searches and priced are paths that go together.
var (
	searches = []string{typeSearch, statusSearch}
	priced   = []string{typeSearch, statusSearch, particulars}
)

// says answers with a status, a body and headers in pairs.
func says(status int, body string, headers ...string) fault {
	return fault{change: func(a *answer) {
		a.status, a.body = status, []byte(body)
		a.header = http.Header{"Content-Type": {"application/json"}}
		for i := 0; i < len(headers); i += 2 {
			a.header.Set(headers[i], headers[i+1])
		}
	}}
}

// edits changes the honest answer as an object of JSON; it is billed as if it were honest.
func edits(edit func(object map[string]any)) fault {
	return fault{billed: true, change: func(a *answer) {
		var object map[string]any
		if json.Unmarshal(a.body, &object) == nil {
			edit(object)
			a.body, _ = json.Marshal(object)
		}
	}}
}

// sets gives a member of the honest answer another value.
func sets(key string, value any) fault {
	return edits(func(object map[string]any) {
		if _, ok := object[key]; ok {
			object[key] = value
		}
	})
}

// rewrites changes the bytes of the honest body, which is billed.
func rewrites(change func(body []byte) []byte) fault {
	return fault{billed: true, change: func(a *answer) { a.body = change(a.body) }}
}

// writes sends bytes instead of an answer and closes the connection.
func writes(text string) fault {
	return fault{speak: func(c net.Conn, _ answer) {
		c.SetDeadline(time.Now().Add(10 * time.Second))
		io.WriteString(c, text)
	}}
}

// sends sends another head with the honest body, and then extra bytes.
func sends(head func(body []byte) string, then func(c net.Conn, body []byte)) fault {
	return fault{billed: true, speak: func(c net.Conn, a answer) {
		c.SetDeadline(time.Now().Add(10 * time.Second))
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"+head(a.body)+"\r\n")
		then(c, a.body)
	}}
}

// whole is a head that announces the body as it is.
func whole(body []byte) string { return fmt.Sprintf("Content-Length: %d\r\n", len(body)) }

// endless repeats a text until the client goes away.
func endless(head, text string) fault {
	return fault{billed: true, speak: func(c net.Conn, _ answer) {
		c.SetDeadline(time.Now().Add(10 * time.Second))
		io.WriteString(c, head)
		for {
			if _, err := io.WriteString(c, text); err != nil {
				return
			}
		}
	}}
}

// bomb is a gzip of zeros, a thousand times smaller than what it unpacks to.
var bomb = sync.OnceValue(func() []byte {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write(make([]byte, 16<<20))
	w.Close()
	return bytes.Repeat(packed.Bytes(), 64) // a gzip may have many members
})

// zipped is a body as gzip.
func zipped(body []byte) []byte {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write(body)
	w.Close()
	return packed.Bytes()
}
