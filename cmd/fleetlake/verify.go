package main

import (
	"fmt"
	"io"

	"github.com/fleetlake/fleetlake/pipeline"
	"github.com/spf13/cobra"
)

// mostWrong is how many faults a line names; --json has them all.
const mostWrong = 3

func (a *app) verifyCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "verify",
		Short: "Hold journal, lake and warehouse against each other",
		Long: `Read every byte of journal, lake and warehouse, and hold them against each other: checksums and
the order of entries; files, sizes, SHA-256 and rows against the manifests; the rules that the
tables keep; the rows of the tables; whether every run that ended is published; the credits of
the table requests. It prints one line per check, with what to do about what is wrong, and ends
with 1 if anything is. It changes nothing, and works while a run is under way.`,
		Example: `  fleetlake verify
  fleetlake verify --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := a.lake()
			if err != nil {
				return err
			}
			p := &pipeline.Pipeline{Dir: dir, Log: a.log()}
			checks, err := p.Verify(cmd.Context())
			if err != nil {
				return err
			}
			for _, c := range checks {
				if !c.OK {
					a.code = exitUnexpected
				}
			}
			if asJSON {
				return printJSON(a.stdout, struct {
					OK     bool             `json:"ok"`
					Checks []pipeline.Check `json:"checks"`
				}{a.code == exitDone, checks})
			}
			return renderChecks(a.stdout, checks)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return c
}

func renderChecks(w io.Writer, checks []pipeline.Check) error {
	for _, c := range checks {
		if c.OK {
			fmt.Fprintf(w, "ok     %s: %s\n", c.Name, c.Summary)
			continue
		}
		fmt.Fprintf(w, "WRONG  %s: ", c.Name)
		for i, wrong := range c.Wrong {
			if i == mostWrong {
				fmt.Fprintf(w, "; and %d more (--json has them)", len(c.Wrong)-i)
				break
			}
			if i > 0 {
				fmt.Fprint(w, "; ")
			}
			fmt.Fprint(w, wrong)
		}
		if _, err := fmt.Fprintf(w, ". %s\n", c.Do); err != nil {
			return err
		}
	}
	return nil
}
