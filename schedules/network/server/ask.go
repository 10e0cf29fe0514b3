package server

import (
	"context"
	"errors"
	"fmt"
	"io"

	arrowparquet "github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"
	"github.com/fleetlake/fleetlake/schedules/page"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/worker"
)

// askRows runs a statement of the page's form in a process of its own, and returns its first rows.
func (n *Server) askRows(ctx context.Context, sql string, tell func(worker.Progress)) (t page.Table, err error) {
	answer, err := n.pool.Query(ctx, worker.Query{Text: sql, Texts: true, Progress: tell})
	if err != nil {
		return t, err
	}
	defer func() {
		if closed := answer.Close(); int64(len(t.Rows)) == t.Total { // else it was cancelled
			err = errors.Join(err, closed)
		}
	}()
	t.Total = answer.Rows
	types := answer.Types()
	for i, f := range answer.Schema().Fields() {
		t.Columns = append(t.Columns, page.TableColumn{Name: page.Beginning(f.Name), Type: page.Beginning(types[i]), Number: warehouse.IsNumber(types[i])})
	}
	held := 0
	for row, err := range answer.Texts() {
		if err != nil {
			return t, err
		}
		line, size := askLine(row)
		if held += size; len(t.Rows) == page.AskRows || held > page.AskBytes && len(t.Rows) > 0 {
			break
		}
		t.Rows = append(t.Rows, line)
	}
	return t, nil
}

// askLine is a row as the page shows it, and about what it takes there.
func askLine(row []any) (line []*string, size int) {
	line = make([]*string, len(row))
	for i, v := range row {
		size += page.AskCellBytes
		if text, ok := v.(string); ok {
			shown := page.Beginning(text)
			line[i], size = &shown, size+len(shown)
		}
	}
	return line, size
}

// pieces writes an answer for a client, piece by piece, and says after each that the client has received it: the client
// may take as long for each as for any.
type pieces struct {
	to       io.Writer
	received func()
}

// pieceBytes is a piece of an answer.
const pieceBytes = 32 << 10

func (p pieces) Write(b []byte) (written int, err error) {
	for written < len(b) {
		n, err := p.to.Write(b[written:min(len(b), written+pieceBytes)])
		if written += n; err != nil {
			return written, err
		}
		p.received()
	}
	return written, nil
}

// askFile writes the whole answer of a statement of the page's form, while it comes from the process that has it.
func (n *Server) askFile(ctx context.Context, sql, format string, to io.Writer) (err error) {
	answer, err := n.pool.Query(ctx, worker.Query{Text: sql, Texts: format == "csv"})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, answer.Close()) }()
	to = pieces{to, answer.Received}
	if format == "parquet" {
		return writeParquet(to, answer)
	}
	columns := make([]Column, answer.Schema().NumFields())
	for i, t := range answer.Types() {
		columns[i] = Column{Name: answer.Schema().Field(i).Name, Type: t}
	}
	return n.config.WriteRows(to, format, columns, answer.Texts())
}

// maxRowGroup is about how many bytes of a Parquet file are in memory until they are written.
const maxRowGroup = 16 << 20

// writeParquet writes an answer as Parquet.
func writeParquet(to io.Writer, answer *worker.Answer) error {
	properties := arrowparquet.NewWriterProperties(arrowparquet.WithCompression(compress.Codecs.Zstd))
	w, err := pqarrow.NewFileWriter(answer.Schema(), to, properties, pqarrow.DefaultWriterProps())
	if err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	for {
		record, err := answer.Next()
		if err == io.EOF {
			return w.Close()
		}
		if err == nil && w.RowGroupTotalBytesWritten() > maxRowGroup {
			w.NewBufferedRowGroup()
		}
		if err == nil {
			err = w.WriteBuffered(record)
		}
		if err != nil {
			return err // without a footer, nobody takes what was written for a file
		}
	}
}
