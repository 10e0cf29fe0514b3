package warehouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/fleetlake/fleetlake/warehouse/durable"
)

// ToParquet writes the answer of a query to a Parquet file, whole or not at all, and returns the
// number of rows. It replaces an earlier file; the directory must exist. Whole numbers keep all their
// digits: a HUGEINT becomes a DECIMAL(38,0), and one of more digits is an ErrStatement. An INTERVAL is
// cut to milliseconds, as Parquet has it. ToParquet returns ErrNotQuery for a statement that does more
// than read, and for an EXPLAIN; ErrStatement, ErrFiles or ErrRoom as Spooled does; and otherwise the
// error of the file system.
func (w *Warehouse) ToParquet(ctx context.Context, s Statement, path string) (rows int64, err error) {
	conn, err := w.db.Conn(ctx)
	if err != nil {
		return 0, unwrapped(err)
	}
	defer func() { err = errors.Join(err, s.reset(ctx, conn), conn.Close()) }()
	kind, args, err := s.prepare(ctx, conn)
	if err != nil {
		return 0, err
	}
	if kind.plans() {
		return 0, fmt.Errorf("a query plan is no table and cannot be written to a file: %w", ErrNotQuery)
	}
	if err := spoolNamed(ctx, conn, s.Text, kind, args); err != nil {
		return 0, err
	}
	temporary := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+durable.Part)
	defer os.Remove(temporary)
	rows, err = copyToParquet(ctx, conn, temporary)
	if err == nil {
		err = durable.Replace(temporary, path)
	}
	if err != nil && !errors.Is(err, ErrStatement) {
		return 0, fmt.Errorf("write %s: %w", path, err)
	}
	return rows, err
}

// copyToParquet writes the spooled answer.
func copyToParquet(ctx context.Context, conn *sql.Conn, path string) (int64, error) {
	columns, err := answerColumns(ctx, conn)
	if err != nil {
		return 0, err
	}
	var expressions, converted []string
	for _, c := range columns {
		value := quoteName(c.stored)
		if t := parquetType(c.databaseType); t != c.databaseType {
			value, converted = "CAST("+value+" AS "+t+")", append(converted, c.name)
		}
		expressions = append(expressions, value+" AS "+quoteName(c.name))
	}
	result, err := conn.ExecContext(ctx, "COPY (SELECT "+strings.Join(expressions, ", ")+" FROM temp.fleetlake_answer) TO "+quote(path)+" (FORMAT parquet, COMPRESSION zstd)")
	if err == nil {
		return result.RowsAffected()
	}
	reason, _, _ := strings.Cut(unwrapped(err).Error(), "\n") // the rest marks a place in our statement
	if strings.Contains(reason, " to "+widestDecimal) {
		text := fmt.Sprintf("Parquet keeps whole numbers of up to 38 digits, and %s has a longer one: cast it in the SQL, to DOUBLE or VARCHAR (%s)", strings.Join(converted, " or "), reason)
		return 0, &cause{text, errors.Join(ErrStatement, err)}
	}
	return 0, classified(err)
}
