package warehouse

import (
	"context"
	"database/sql"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// callable is what a statement can name of DuckDB's own: its kind is call, table for what stands after FROM, or view.
type callable struct{ kind, name string }

// The judgement on everything that a version of DuckDB brings along, a line each. A function that another version has
// besides is refused.
var (
	//go:embed functions/allowed.txt
	allowedLines string
	//go:embed functions/refused.txt
	refusedLines string
)

// allowed are the functions and views that statements from a network may use.
var allowed = sync.OnceValue(func() map[callable]bool {
	all := map[callable]bool{}
	for line := range strings.Lines(allowedLines) {
		if kind, name, _ := strings.Cut(strings.TrimSpace(line), " "); kind != "version" {
			all[callable{kind, name}] = true
		}
	}
	return all
})

// judgedVersion is the version of DuckDB whose functions the lists have.
func judgedVersion() string {
	first, _, _ := strings.Cut(allowedLines, "\n")
	return strings.TrimPrefix(first, "version ")
}

// refused are those that they may not use, with the reasons.
var refused = sync.OnceValue(func() map[callable]string {
	all := map[callable]string{}
	for line := range strings.Lines(refusedLines) {
		of, reason, _ := strings.Cut(strings.TrimSpace(line), ": ")
		kind, name, _ := strings.Cut(of, " ")
		all[callable{kind, name}] = reason
	}
	return all
})

// scan is how a plan names the reading of a table, which a text cannot.
var scan = callable{"table", "seq_scan"}

// needsFiles is the reason of functions that open files.
const needsFiles = "files"

// refusal is the error of a statement that uses something that it may not.
func refusal(c callable) error {
	switch reason := refused()[c]; reason {
	case needsFiles:
		return &cause{c.name + " is refused: file system operations are disabled by configuration", fmt.Errorf("%w: %w", ErrFiles, ErrStatement)}
	case "":
		return &cause{c.name + " is refused: it is not on the list of what a statement may use here", ErrStatement}
	default:
		return &cause{c.name + " is refused: it " + reason, ErrStatement}
	}
}

// judge refuses a statement that uses a function which others may not use. It reads the parser's tree before anything
// is bound, because binding computes the arguments of functions that stand for a table, and then the bound plan, in
// which macros and views are in place. A text of which the parser gives no tree, such as a PIVOT over whatever values
// there are, must not have the name of a refused function anywhere in it.
func judge(ctx context.Context, conn *sql.Conn, text string) error {
	tree, err := serialized(ctx, conn, "read/tree", text)
	if explained := explanation.ReplaceAllString(text, ""); err == nil && tree == nil && explained != text {
		text = explained
		tree, err = serialized(ctx, conn, "read/tree", text)
	}
	if err != nil {
		return err
	}
	if tree == nil {
		return judgeWords(text)
	}
	found := usesOf{}
	found.tree(tree, "call")
	if err := found.judgeTree(ctx, conn); err != nil || found.parameters {
		return err // a plan with parameters has no text form
	}
	plan, err := serialized(ctx, conn, "read/plan", text)
	if err != nil {
		return err
	}
	bound := usesOf{}
	bound.plan(plan)
	for _, c := range bound.sorted() {
		if !allowed()[c] && c != scan {
			return refusal(c)
		}
	}
	return nil
}

// serialized is what DuckDB makes of a text; nil if it says that it makes nothing of it.
func serialized(ctx context.Context, conn *sql.Conn, name, text string) (any, error) {
	var b string
	if err := conn.QueryRowContext(ctx, statement(name), text).Scan(&b); err != nil {
		return nil, classified(err)
	}
	var value map[string]any
	if err := json.Unmarshal([]byte(b), &value); err != nil {
		return nil, fmt.Errorf("read what DuckDB made of a statement: %w", err)
	}
	if problem, _ := value["error"].(bool); problem {
		return nil, nil
	}
	return value, nil
}

// word matches the names of refused functions. What is before a name may be anything but a letter or _.
var word = sync.OnceValue(func() *regexp.Regexp {
	var names []string
	for c := range refused() {
		names = append(names, regexp.QuoteMeta(c.name))
	}
	slices.Sort(names)
	return regexp.MustCompile(`(?i)(?:^|[^a-z_])(` + strings.Join(names, "|") + `)(?:$|[^a-z0-9_])`)
})

// judgeWords refuses a text that has the name of a refused function in it, even within quotes.
func judgeWords(text string) error {
	if found := word().FindStringSubmatch(text); found != nil {
		return &cause{fmt.Sprintf("%s is refused in a statement of this form", found[1]), ErrStatement}
	}
	return nil
}

// usesOf is what a statement uses.
type usesOf struct {
	callables  map[callable]bool
	parameters bool
}

func (u *usesOf) add(kind, name string) {
	if u.callables == nil {
		u.callables = map[callable]bool{}
	}
	u.callables[callable{kind, strings.ToLower(name)}] = true
}

// sorted are the callables, always in the same order, so that an error is always the same.
func (u *usesOf) sorted() []callable {
	return slices.SortedFunc(maps.Keys(u.callables), func(a, b callable) int { return strings.Compare(a.kind+" "+a.name, b.kind+" "+b.name) })
}

// tree finds what a text names. The kind is that of a function without anything in between.
func (u *usesOf) tree(node any, kind string) {
	switch n := node.(type) {
	case []any:
		for _, child := range n {
			u.tree(child, "call")
		}
	case map[string]any:
		name, isFunction := n["function_name"].(string)
		if isFunction && (n["class"] != "WINDOW" || n["type"] == "WINDOW_AGGREGATE") { // others are of the grammar
			u.add(kind, name)
		}
		if name, ok := n["table_name"].(string); ok {
			u.add("view", name)
		}
		u.parameters = u.parameters || n["class"] == "PARAMETER"
		for key, child := range n {
			if key == "function" && n["type"] == "TABLE_FUNCTION" {
				u.tree(child, "table")
				continue
			}
			u.tree(child, "call")
		}
	}
}

// judgeTree refuses what is not allowed. What DuckDB does not bring along is a table, view or macro of the published
// file, or does not exist, which binding says better.
func (u *usesOf) judgeTree(ctx context.Context, conn *sql.Conn) error {
	var unknown []callable
	for _, c := range u.sorted() {
		if _, no := refused()[c]; no {
			return refusal(c)
		}
		if !allowed()[c] && c.kind != "view" { // of tables, the plan says what they are
			unknown = append(unknown, c)
		}
	}
	if len(unknown) == 0 || judgedVersion() == linkedVersion() {
		return nil // then there is no function of DuckDB's that is on neither list
	}
	engine, err := engineFunctions(ctx, conn)
	if err != nil {
		return err
	}
	for _, c := range unknown {
		if engine[c] {
			return refusal(c)
		}
	}
	return nil
}

// engineFunctions is what the linked DuckDB brings along. The list takes 30 ms.
func engineFunctions(ctx context.Context, conn *sql.Conn) (map[callable]bool, error) {
	rows, err := conn.QueryContext(ctx, statement("read/engine_functions"))
	if err != nil {
		return nil, unwrapped(err)
	}
	defer rows.Close()
	all := map[callable]bool{}
	for rows.Next() {
		var c callable
		if err := rows.Scan(&c.kind, &c.name); err != nil {
			return nil, unwrapped(err)
		}
		all[callable{c.kind, strings.ToLower(c.name)}] = true
	}
	return all, unwrapped(rows.Err())
}

// plan finds the functions of a bound plan. DuckDB writes each with its arguments and its place in the catalog.
func (u *usesOf) plan(node any) {
	switch n := node.(type) {
	case []any:
		for _, child := range n {
			u.plan(child)
		}
	case map[string]any:
		name, named := n["name"].(string)
		_, takes := n["arguments"]
		_, placed := n["catalog_name"]
		switch {
		case n["type"] == "LOGICAL_GET":
			u.add("table", name)
		case named && takes && placed:
			u.add("call", name)
		}
		for _, child := range n {
			u.plan(child)
		}
	}
}
