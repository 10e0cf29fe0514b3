package durable

import (
	"bytes"
	"fmt"
	"hash/crc32"
)

// checkKey is the last member of a checked line, with the CRC-32 of the text before it.
const checkKey = `,"check":"`

// CheckedLine returns a line of a file to which lines are appended, a JSON object that ends with a line feed, with
// a check of its bytes as the last member.
func CheckedLine(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte("}\n"))
	return fmt.Appendf(line, "%s%08x\"}\n", checkKey, crc32.ChecksumIEEE(line))
}

// LineIntact reports whether a line is as CheckedLine made it. One without a check, as people may write it, is.
func LineIntact(line []byte) bool {
	i := bytes.LastIndex(line, []byte(checkKey))
	return i < 0 || string(line[i+len(checkKey):]) == fmt.Sprintf("%08x\"}\n", crc32.ChecksumIEEE(line[:i]))
}
