package main

import (
	"database/sql"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fleetlake/fleetlake/warehouse"
)

// documentsForAnalysts have SQL and commands that are run as they stand.
var documentsForAnalysts = []string{"README.md", "docs/analyst.md", "docs/lake.md", "warehouse/queries/clients/README.md"}

// snippetsOfTheDocuments runs each block of SQL, and each command of query and schema, that these documents show. SQL that
// attaches a file attaches the published one, also where the document has it from another machine.
func snippetsOfTheDocuments(t *testing.T, w *world) {
	blocks := regexp.MustCompile("(?ms)^```(sql|console)\n(.*?)^```")
	attached := regexp.MustCompile(`ATTACH '[^']*fleet\.duckdb'`)
	published := warehouse.Path(filepath.Join(w.dir, "fleetlake-data"))
	ran := map[string]int{}
	for _, document := range documentsForAnalysts {
		for _, block := range blocks.FindAllStringSubmatch(read(t, filepath.Join("..", "..", document)), -1) {
			if block[1] == "console" {
				ran["commands"] += commandsOf(t, w, document, block[2])
				continue
			}
			ran["blocks of SQL"]++
			text := attached.ReplaceAllString(block[2], "ATTACH '"+published+"'")
			if !strings.Contains(text, "ATTACH ") {
				text = "ATTACH '" + published + "' AS fleet (READ_ONLY); USE fleet; " + text
			}
			db, err := sql.Open("duckdb", "")
			if err != nil {
				t.Fatal(err)
			}
			db.SetMaxOpenConns(1)
			if _, err := db.ExecContext(t.Context(), text); err != nil {
				t.Errorf("%s: %v\n%s", document, err, block[2])
			}
			db.Close()
		}
	}
	if ran["commands"] < 4 || ran["blocks of SQL"] < 6 {
		t.Errorf("only %v ran", ran)
	}
}

// commandsOf runs the commands of query and schema among those of a block. One that reads a file of the reader is left out.
func commandsOf(t *testing.T, w *world, document, block string) (ran int) {
	for line := range strings.Lines(block) {
		command, ok := strings.CutPrefix(strings.TrimSpace(line), "$ fleetlake ")
		if !ok || !strings.HasPrefix(command, "query ") && !strings.HasPrefix(command, "schema") || strings.Contains(command, " --file ") {
			continue
		}
		words, err := exec.CommandContext(t.Context(), "sh", "-c", `printf '%s\n' `+strings.ReplaceAll(command, "fleetlake-demo", "fleetlake-data")).Output()
		if err != nil {
			t.Fatalf("%s: %s: %v", document, command, err)
		}
		if got := w.fleetlake(strings.Split(strings.TrimSuffix(string(words), "\n"), "\n")...); got.code != exitDone {
			t.Errorf("%s: fleetlake %s: exit code %d\n%s%s", document, command, got.code, got.stdout, got.stderr)
		}
		ran++
	}
	return ran
}
