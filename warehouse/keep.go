package warehouse

import (
	"context"
	"fmt"
)

// Keep holds the rows of a statement as a table of this reader alone, until Close: in memory, and what does not
// fit where the reader spills. Every later statement of the reader that names the table reads it, also instead
// of a view of the file with that name. It returns ErrRoom if memory and disk have no room.
func (w *Warehouse) Keep(ctx context.Context, name, text string) error {
	conn, err := w.db.Conn(ctx)
	if err != nil {
		return unwrapped(err)
	}
	defer conn.Close()
	if err := runScript(ctx, conn, "CREATE TEMP TABLE "+quoteName(name)+" AS "+text); err != nil {
		return fmt.Errorf("keep %s: %w", name, classified(err))
	}
	if w.kept == nil {
		w.kept = map[string]bool{}
	}
	w.kept[name] = true
	return nil
}

// Keeps reports whether Keep has made the table.
func (w *Warehouse) Keeps(name string) bool { return w.kept[name] }
