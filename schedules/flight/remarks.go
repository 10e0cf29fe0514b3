package flight

import (
	"context"
	_ "embed"
	"errors"
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/flight/flightsql"

	"github.com/fleetlake/fleetlake/warehouse/worker"
)

//go:embed sql/columns.sql
var columnsSQL string

// remarksKey is where clients look for the comment of a column; the library has no name for it yet.
const remarksKey = "ARROW:FLIGHT:SQL:REMARKS"

// place is a column of a table, or the table itself if the column is "".
type place struct{ schema, table, column string }

// remark is what is known of a column beside its Arrow type.
type remark struct{ kind, comment string }

// remarks are those of all tables and columns. It is one query, whatever tables a client asks for.
func (s *service) remarks(ctx context.Context) (map[place]remark, error) {
	a, err := s.pool.Query(ctx, worker.Query{Text: columnsSQL})
	if err != nil {
		return nil, err
	}
	all := map[place]remark{}
	for {
		r, err := a.Next()
		if errors.Is(err, io.EOF) {
			return all, a.Close()
		}
		if err != nil {
			return nil, errors.Join(err, a.Close())
		}
		for i := range int(r.NumRows()) {
			at := place{r.Column(0).ValueStr(i), r.Column(1).ValueStr(i), r.Column(2).ValueStr(i)}
			all[at] = remark{r.Column(3).ValueStr(i), r.Column(4).ValueStr(i)}
		}
	}
}

// remarked is the schema of a table with the names of the types of its columns, and with their comments and its own.
func remarked(schema *arrow.Schema, at place, all map[place]remark) *arrow.Schema {
	fields := make([]arrow.Field, schema.NumFields())
	for i, f := range schema.Fields() {
		at.column = f.Name
		f.Metadata = metadataOf(all[at])
		fields[i] = f
	}
	at.column = ""
	own := metadataOf(all[at])
	return arrow.NewSchema(fields, &own)
}

func metadataOf(r remark) arrow.Metadata {
	known := map[string]string{}
	if r.kind != "" {
		known[flightsql.TypeNameKey] = r.kind
	}
	if r.comment != "" {
		known[remarksKey] = r.comment
	}
	return arrow.MetadataFrom(known)
}
