package load

import "encoding/binary"

// The codes of types in Thrift's compact protocol, in which the format has its indexes.
const (
	isBool   = 1
	isInt32  = 5
	isInt64  = 6
	isBinary = 8
	isList   = 9
	isStruct = 12
)

// columnIndex encodes which values some pages have. It holds whatever the order of the pages is; of
// texts it says if they are in order.
func columnIndex(pages []page, inOrder bool) []byte {
	order := int64(0)
	if inOrder {
		order = 1
	}
	b := appendList(nil, 1, isBool, pages, func(b []byte, p page) []byte {
		if p.nulls == p.rows {
			return append(b, 1)
		}
		return append(b, 2)
	})
	b = appendList(b, 1, isBinary, pages, func(b []byte, p page) []byte { return appendBinary(b, p.least) })
	b = appendList(b, 1, isBinary, pages, func(b []byte, p page) []byte { return appendBinary(b, p.greatest) })
	b = appendInt(b, 1, isInt32, order)
	b = appendList(b, 1, isInt64, pages, func(b []byte, p page) []byte { return binary.AppendVarint(b, p.nulls) })
	return append(b, 0)
}

// offsetIndex encodes where some pages are, and the first row of each in its row group.
func offsetIndex(pages []page) []byte {
	row := int64(0)
	return append(appendList(nil, 1, isStruct, pages, func(b []byte, p page) []byte {
		b = appendInt(b, 1, isInt64, p.offset)
		b = appendInt(b, 1, isInt32, int64(p.size))
		b = appendInt(b, 1, isInt64, row)
		row += p.rows
		return append(b, 0)
	}), 0)
}

// appendInt appends a field whose id is step after the last one's.
func appendInt(b []byte, step, kind byte, n int64) []byte {
	return binary.AppendVarint(append(b, step<<4|kind), n)
}

// appendList appends a field with a list, which has an element for each page.
func appendList(b []byte, step, kind byte, pages []page, element func([]byte, page) []byte) []byte {
	b = append(b, step<<4|isList)
	if len(pages) < 15 {
		b = append(b, byte(len(pages))<<4|kind)
	} else {
		b = binary.AppendUvarint(append(b, 0xf0|kind), uint64(len(pages)))
	}
	for _, p := range pages {
		b = element(b, p)
	}
	return b
}

func appendBinary(b, value []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(value))), value...)
}
