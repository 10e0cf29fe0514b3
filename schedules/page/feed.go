package page

import (
	"context"
	"crypto/sha256"
	"encoding/xml"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/pipeline/wording"
	"github.com/fleetlake/fleetlake/schedules/page/shown"
	"github.com/fleetlake/fleetlake/schedules/published"
	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/fleetlake/fleetlake/warehouse/news"
)

// Sizes of the feeds: nights, and vessels of a kind that the entry of a night names.
const feedNights, feedVessels, feedItems = 14, 10, 500

// feedNews is the news that the feeds are made of.
type feedNews struct {
	nights  []feedNight // the newest first
	watched []news.Item
}

// feedNight is a night with all of its news.
type feedNight struct {
	date, run string
	finished  time.Time
	items     []news.Item
}

// newsOf caches the news of the newest nights of the published file.
func newsOf(files *published.Files, watch []string) *published.Cache[string, *feedNews] {
	return &published.Cache[string, *feedNews]{Dir: files.Dir, Files: files, Read: func(ctx context.Context, w *warehouse.Warehouse, _ string, _ time.Time) (*feedNews, error) {
		return readNews(ctx, w, watch)
	}}
}

func readNews(ctx context.Context, w *warehouse.Warehouse, watch []string) (*feedNews, error) {
	f := &feedNews{}
	err := each(ctx, w, "feed_nights", func(r record) {
		finished, _ := r[2].(time.Time)
		f.nights = append(f.nights, feedNight{date: r.Text(0), run: r.Text(1), finished: finished})
	}, feedNights)
	if err != nil || len(f.nights) == 0 {
		return f, err
	}
	last, first := f.nights[0].date, f.nights[len(f.nights)-1].date
	all, err := news.Between(ctx, w, first, last, nil)
	if err != nil {
		return nil, err
	}
	for i := range f.nights {
		for _, item := range all {
			if item.Night == f.nights[i].date {
				f.nights[i].items = append(f.nights[i].items, item)
			}
		}
	}
	if len(watch) > 0 {
		f.watched, err = news.Between(ctx, w, first, last, watch)
		slices.Reverse(f.watched)
	}
	return f, err
}

// atomFeed is a feed by RFC 4287.
type atomFeed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	ID      string      `xml:"id"`
	Title   string      `xml:"title"`
	Updated string      `xml:"updated"`
	Author  string      `xml:"author>name"`
	Links   []atomLink  `xml:"link"`
	Entries []atomEntry `xml:"entry"`
}

type atomLink struct {
	Rel   string `xml:"rel,attr,omitempty"`
	Type  string `xml:"type,attr,omitempty"`
	Title string `xml:"title,attr,omitempty"`
	Href  string `xml:"href,attr"`
}

type atomEntry struct {
	ID      string      `xml:"id"`
	Title   string      `xml:"title"`
	Updated string      `xml:"updated"`
	Links   []atomLink  `xml:"link"` // the first is the page that the entry stands for
	Content atomContent `xml:"content"`
}

type atomContent struct {
	Type string `xml:"type,attr"`
	Body string `xml:",chardata"`
}

// changesFeed serves the news of all vessels, an entry a night.
func (s *site) changesFeed(w http.ResponseWriter, r *http.Request) {
	s.feed(w, r, "Changes in the fleet", func(base string, f *feedNews) (all []atomEntry) {
		for _, n := range f.nights {
			all = append(all, nightEntry(base, n))
		}
		return all
	})
}

// watchFeed serves the news of the watched vessels, an entry each.
func (s *site) watchFeed(w http.ResponseWriter, r *http.Request) {
	s.feed(w, r, "Watched vessels", func(base string, f *feedNews) (all []atomEntry) {
		for _, i := range f.watched[:min(len(f.watched), feedItems)] {
			all = append(all, watchEntry(base, i))
		}
		return all
	})
}

func (s *site) feed(w http.ResponseWriter, r *http.Request, title string, entries func(base string, f *feedNews) []atomEntry) {
	f, err := s.news.Get(r.Context(), "", s.Now())
	if err != nil && !errors.Is(err, warehouse.ErrNone) {
		s.cannotRead(w, err)
		return
	}
	base, scheme := r.Host, "http://"
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https://"
	}
	base = scheme + base
	a := atomFeed{ID: feedID(r.URL.Path), Title: "fleetlake: " + title, Updated: "1970-01-01T00:00:00Z", Author: "fleetlake",
		Links: []atomLink{{Rel: "self", Type: "application/atom+xml", Href: base + r.URL.Path}, {Href: base + "/"}}}
	if f != nil {
		if len(f.nights) > 0 {
			a.Updated = shown.MachineTime(f.nights[0].finished)
		}
		a.Entries = entries(base, f)
	}
	body, err := xml.MarshalIndent(a, "", " ")
	if err != nil {
		panic(err) // the texts of a feed can always be written: invalid characters are replaced
	}
	w.Header().Set("Content-Type", "application/atom+xml; charset=utf-8")
	fmt.Fprintf(w, "%s%s\n", xml.Header, body)
}

// feedID names a feed or an entry for ever, whatever the address of this machine.
func feedID(name string) string { return "tag:fleetlake,2026:" + strings.TrimPrefix(name, "/") }

// kindLists are the lists of the page that have the news of a kind; %s is the night.
var kindLists = map[string]string{
	"aground":           "/list/episodes?navigational_status=aground&first_date=%s&is_vessel=true",
	"gone dark":         "/list/gone_dark?absent_until=%s&proved=true",
	"identity in doubt": "/list/identity_review?since=%s",
	"left the list":     "/list/listed?absent_on=%s&is_vessel=true",
	"reflagged":         "/list/reflaggings?snapshot_date=%s&is_vessel=true",
	"new owner":         "/list/ownership_changes?snapshot_date=%s&role=registered_owner&is_vessel=true",
	"new manager":       "/list/ownership_changes?snapshot_date=%s&role=manager&is_vessel=true",
	"renamed":           "/list/renamings?snapshot_date=%s&is_vessel=true",
	"new mmsi":          "/list/changes?snapshot_date=%s&dataset=registration&field=mmsi&flapping=false",
}

// kindList is the address of the list that has the news of a kind on a night.
func kindList(base, kind, night string) string { return base + fmt.Sprintf(kindLists[kind], night) }

// nightTemplate is the content of a night's entry.
var nightTemplate = template.Must(template.New("night").Parse(`{{range .}}<h3><a href="{{.List}}">{{.Total}} {{.Kind}}</a></h3><ul>{{range .Items}}<li><a href="{{.Link}}">{{.Words}}</a></li>{{end}}</ul>{{end}}`))

// watchTemplate is the content of the entry of a watched vessel.
var watchTemplate = template.Must(template.New("watch").Parse(`<p>{{.Words}}; {{.Evidence}}.</p><p>{{range $i, $l := .Links}}{{if $i}} · {{end}}<a href="{{$l.Href}}">{{$l.Title}}</a>{{end}}</p>`))

// contentOf fills the template of an entry.
func contentOf(t *template.Template, values any) atomContent {
	var body strings.Builder
	if err := t.Execute(&body, values); err != nil {
		panic(err) // a template that does not fit its data is a bug
	}
	return atomContent{"html", body.String()}
}

// feedKind is the news of one kind in the entry of a night.
type feedKind struct {
	Kind, List string
	Total      int
	Items      []feedItem
}

type feedItem struct{ Link, Words string }

func nightEntry(base string, n feedNight) atomEntry {
	links := []atomLink{{Href: base + "/runs/" + n.run}}
	var kinds []feedKind
	var heads []string
	for _, name := range news.Kinds {
		k := feedKind{Kind: name, List: kindList(base, name, n.date)}
		for _, i := range n.items {
			if i.Kind != name {
				continue
			}
			k.Total++
			if len(k.Items) < feedVessels {
				k.Items = append(k.Items, feedItem{base + "/vessel/" + url.PathEscape(i.VesselID), shown.Printable(i.Words())})
			}
		}
		if k.Total > 0 {
			kinds = append(kinds, k)
			heads = append(heads, fmt.Sprintf("%s %s", wording.Count(k.Total), name))
			links = append(links, atomLink{Rel: "related", Title: name, Href: k.List})
		}
	}
	title := n.date + ": nothing changed"
	if len(heads) > 0 {
		title = n.date + ": " + strings.Join(heads, ", ")
	}
	return atomEntry{ID: feedID("night/" + n.run), Title: title, Updated: shown.MachineTime(n.finished), Links: links, Content: contentOf(nightTemplate, kinds)}
}

func watchEntry(base string, i news.Item) atomEntry {
	words := shown.Printable(i.Words())
	updated := i.Night + "T00:00:00Z"
	if i.After != nil {
		updated = shown.MachineTime(*i.After)
	}
	evidence := "proved by the coverage of the night " + i.Night
	if i.Run != "" {
		evidence = fmt.Sprintf("from run %s, entry %d", i.Run, i.Entry)
	}
	links := []atomLink{
		{Title: "The vessel", Href: base + "/vessel/" + url.PathEscape(i.VesselID)},
		{Rel: "related", Title: "The night", Href: base + "/nights/" + i.Night},
		{Rel: "related", Title: "All of that night: " + i.Kind, Href: kindList(base, i.Kind, i.Night)},
	}
	content := contentOf(watchTemplate, struct {
		Words, Evidence string
		Links           []atomLink
	}{words, evidence, links})
	return atomEntry{ID: feedID(fmt.Sprintf("news/%s/%s/%x", i.Night, i.VesselID, sha256.Sum256([]byte(i.Key())))), Title: words, Updated: updated, Links: links, Content: content}
}
