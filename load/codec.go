package load

import (
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/klauspost/compress/zstd"
)

// pageCodec is Arrow's zstd codec with one encoder for all pages. Arrow's own makes an
// encoder, with megabytes of tables, for each page that is not of the default level. The fastest level
// would make the files 4 % larger and save 2 % of a rebuild.
type pageCodec struct {
	compress.Codec
	encoder *zstd.Encoder
}

// init replaces Arrow's codec, for all writers of this process.
func init() {
	zstdCodec, err := compress.GetCodec(compress.Codecs.Zstd)
	if err != nil {
		panic(err) // Arrow always has it
	}
	encoder, err := zstd.NewWriter(nil, zstd.WithZeroFrames(true), zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithWindowSize(1<<20))
	if err != nil {
		panic(err) // the options are constants
	}
	compress.RegisterCodec(compress.Codecs.Zstd, pageCodec{zstdCodec, encoder})
}

func (c pageCodec) Encode(dst, src []byte) []byte { return c.encoder.EncodeAll(src, dst[:0]) }

// EncodeLevel ignores the level: the writers of this package use only one.
func (c pageCodec) EncodeLevel(dst, src []byte, _ int) []byte { return c.Encode(dst, src) }
