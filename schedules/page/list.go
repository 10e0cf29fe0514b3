package page

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/fleetlake/fleetlake/schedules/page/lists"
	"github.com/fleetlake/fleetlake/warehouse"
)

// listsPage serves the index of the lists.
func (s *site) listsPage(w http.ResponseWriter, _ *http.Request) {
	send(w, http.StatusOK, s.page(view{Kind: "lists", Title: "Lists", Version: s.Version, Now: s.Now(), Lists: lists.Groups()}))
}

// listPage serves one page of a list.
func (s *site) listPage(w http.ResponseWriter, r *http.Request) {
	w = forFile(w, r)
	v, ok := lists.Named(r.PathValue("name"))
	if !ok {
		s.notFound(w, r)
		return
	}
	v.Files = s.Answer != nil
	err := s.look(r.Context(), func(ctx context.Context, file *warehouse.Warehouse) error {
		return v.Read(ctx, file, r.URL.Query())
	})
	if err == nil && v.Clean != "" { // the address of a form, with all of its fields
		http.Redirect(w, r, r.URL.Path+v.Clean, http.StatusSeeOther)
		return
	}
	if err == nil && v.Format != "" {
		if err = s.sendFile(w, r, v); err == nil {
			return
		}
	}
	switch {
	case errors.Is(err, lists.ErrAsked):
		s.say(w, http.StatusBadRequest, "The list cannot show that", err.Error())
	case errors.Is(err, warehouse.ErrStatement):
		s.say(w, http.StatusBadRequest, "The list cannot be filtered so", "A value in the address does not fit its column. Write numbers as 42, and dates as 2026-11-20.")
	case err != nil:
		s.cannotRead(w, err)
	default:
		send(w, http.StatusOK, s.page(view{Kind: "list", Title: v.Title, Version: s.Version, Now: s.Now(), List: v}))
	}
}

// sendFile serves the whole list as a file. It is complete on disk before its first byte is sent, so that
// a slow client keeps no statement open.
func (s *site) sendFile(w http.ResponseWriter, r *http.Request, v *lists.View) error {
	path, done, err := s.Answer(r.Context(), v.Statement, v.Format)
	if err != nil {
		return err
	}
	defer func() {
		if err := done(); err != nil {
			s.Log.Warn("a temporary file stays behind", "error", err)
		}
	}()
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read the list: %w", err)
	}
	defer f.Close()
	return s.stream(w, r, v.Name, v.Format, func(to io.Writer) error {
		_, err := io.Copy(to, f)
		return err
	})
}
