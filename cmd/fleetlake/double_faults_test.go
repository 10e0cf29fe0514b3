package main

import (
	"bytes"
	"io"
	"net"
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

// unpacked returns what lies in a file in frames of zstd, as far as they can be read.
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
