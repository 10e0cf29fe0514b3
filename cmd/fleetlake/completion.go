package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/fleetlake/fleetlake/warehouse"
	"github.com/spf13/cobra"
)

// completionLimit is how long the shell waits for the names in the published file. It is reached on a
// busy machine only: reading them takes a tenth of a second of a CPU.
const completionLimit = 5 * time.Second

// completer lists the words that can stand at a place of the command line; nil if it cannot know them.
// It prints nothing and takes no lock: it runs at each press of the tab key.
type completer func(ctx context.Context) []string

// completeWords lets the shell complete the arguments and flags of the verbs: `fleetlake completion bash`
// and its like print how the shell asks.
func (a *app) completeWords(root *cobra.Command) {
	for verb, words := range map[string]completer{"schema": a.tableNames, "runs": a.runIDs, "run": a.jobNames, "plan": a.jobNames, "forecast": a.jobNames, "query": a.workedNames} {
		if c, _, err := root.Find([]string{verb}); err == nil && c.Name() == verb {
			c.ValidArgsFunction = func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
				if len(args) > 0 {
					return nil, cobra.ShellCompDirectiveNoFileComp
				}
				return complete(cmd, words)
			}
		}
	}
	c, _, err := root.Find([]string{"query"})
	if err != nil {
		return
	}
	c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(queryFormats, cobra.ShellCompDirectiveNoFileComp))
	c.RegisterFlagCompletionFunc("param", func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		words, directive := complete(cmd, func(context.Context) []string { return a.parameterNames(args) })
		return words, directive | cobra.ShellCompDirectiveNoSpace
	})
}

// complete returns the words of a completer, in time.
func complete(cmd *cobra.Command, words completer) ([]string, cobra.ShellCompDirective) {
	ctx := cmd.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, cancel := context.WithTimeout(ctx, completionLimit)
	defer cancel()
	return words(ctx), cobra.ShellCompDirectiveNoFileComp
}

// described is a word with what the shell prints beside it.
func described(word, meaning string) string {
	if meaning == "" {
		return word
	}
	return word + "\t" + meaning
}

// workedQueries are those of the program and of the configured directory.
func (a *app) workedQueries() []warehouse.WorkedQuery {
	c, err := a.configAsIs()
	if err != nil {
		return warehouse.Queries()
	}
	queries, _ := warehouse.AllQueries(c.QueriesDir) // a file that is none is said by query
	return queries
}

func (a *app) workedNames(context.Context) (words []string) {
	for _, q := range a.workedQueries() {
		words = append(words, described(q.Name, q.Title))
	}
	return words
}

// parameterNames are the parameters of the worked query that the arguments name.
func (a *app) parameterNames(args []string) (words []string) {
	for _, q := range a.workedQueries() {
		if slices.Contains(args, q.Name) {
			for _, p := range q.Params {
				words = append(words, described(p.Name+"=", p.Meaning))
			}
		}
	}
	return words
}

// jobNames are the jobs of the configuration.
func (a *app) jobNames(context.Context) []string {
	c, err := a.configAsIs()
	if err != nil {
		return nil
	}
	return c.JobNames()
}

// tableNames are the tables, views and macros of the published file.
func (a *app) tableNames(ctx context.Context) (words []string) {
	w := a.published(ctx)
	if w == nil {
		return nil
	}
	defer w.Close()
	tables, err := w.Names(ctx)
	if err != nil {
		return nil
	}
	for _, t := range tables {
		title, _, _ := strings.Cut(t.Comment, ". ")
		words = append(words, described(t.Name, title))
	}
	return words
}

// completedRuns is how many of the newest runs are completed.
const completedRuns = 50

// runIDs are the newest runs of the published file.
func (a *app) runIDs(ctx context.Context) (words []string) {
	w := a.published(ctx)
	if w == nil {
		return nil
	}
	defer w.Close()
	runs, err := w.Runs(ctx, completedRuns)
	if err != nil {
		return nil
	}
	for _, r := range runs {
		words = append(words, described(r.ID, r.Job+" of "+r.Date+", "+r.State))
	}
	return words
}

// published opens the published file for a completion; nil if there is none.
func (a *app) published(ctx context.Context) *warehouse.Warehouse {
	dir, err := a.data()
	if err != nil {
		return nil
	}
	w, err := warehouse.Open(ctx, warehouse.Path(dir), warehouse.Options{Threads: 1, Confine: []string{}})
	if err != nil {
		return nil
	}
	return w
}
