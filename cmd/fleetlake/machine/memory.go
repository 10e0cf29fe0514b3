package machine

import (
	"io/fs"
	"math"
	"strconv"
	"strings"
)

// Memory is what a process can still take, and the most that it could ever have, both in bytes.
type Memory struct {
	Left, Limit int64
	From        string // "machine", or "control group" with its path
}

// ReadMemory reads the files of Linux below root, the root directory of the file system. Known is false
// on other systems and without these files. Memory that only caches files counts as left.
func ReadMemory(root fs.FS) (m Memory, known bool) {
	machine := fields(root, "proc/meminfo", 1024)
	m = Memory{Left: machine["MemAvailable:"], Limit: machine["MemTotal:"], From: "machine"}
	if m.Left <= 0 || m.Limit <= 0 {
		return Memory{}, false
	}
	for _, g := range groups(root) {
		of, limited := g.memory(root)
		if limited && of.Limit < m.Limit { // a larger limit than the machine's is none
			m.Limit = of.Limit
		}
		if limited && of.Left < m.Left {
			m.Left, m.From = of.Left, of.From
		}
	}
	return m, true
}

// memory reads the limit of a group and what is left of it; false if the group has no limit.
func (g group) memory(root fs.FS) (Memory, bool) {
	limits, usage, cached := []string{"memory.max", "memory.high"}, "memory.current", "inactive_file"
	if g.version == 1 {
		limits, usage, cached = []string{"memory.limit_in_bytes"}, "memory.usage_in_bytes", "total_inactive_file"
	}
	m := Memory{Limit: math.MaxInt64, From: "control group " + g.path}
	for _, name := range limits {
		if n, ok := number(root, g.dir+"/"+name); ok {
			m.Limit = min(m.Limit, n)
		}
	}
	used, ok := number(root, g.dir+"/"+usage)
	if !ok || m.Limit == math.MaxInt64 {
		return Memory{}, false
	}
	used -= min(used, fields(root, g.dir+"/memory.stat", 1)[cached])
	m.Left = max(0, m.Limit-used)
	return m, true
}

// group is a control group that this process is in, or one above it.
type group struct {
	version   int
	dir, path string // its directory without the first slash, and its name
}

// groups lists the groups with a memory controller that this process is in, each with all above it that are
// visible here. A container may see its own group as the root.
func groups(root fs.FS) (all []group) {
	own := map[int]string{} // the path of the group by version
	for line := range lines(root, "proc/self/cgroup") {
		number, rest, _ := strings.Cut(line, ":")
		controllers, path, _ := strings.Cut(rest, ":")
		switch {
		case number == "0" && controllers == "":
			own[2] = path
		case has(controllers, "memory"):
			own[1] = path
		}
	}
	for line := range lines(root, "proc/self/mountinfo") {
		before, after, _ := strings.Cut(line, " - ")
		mount, system := strings.Fields(before), strings.Fields(after)
		if len(mount) < 5 || len(system) < 3 {
			continue
		}
		version := map[string]int{"cgroup": 1, "cgroup2": 2}[system[0]]
		path, in := own[version]
		if !in || version == 1 && !has(system[2], "memory") {
			continue
		}
		all = append(all, above(version, mount[3], mount[4], path)...)
	}
	return all
}

// above lists a group and those above it, up to the root of the mount, which is from in the hierarchy.
func above(version int, from, mounted, path string) (all []group) {
	below, ok := strings.CutPrefix(path, strings.TrimSuffix(from, "/"))
	if !ok {
		below = "" // of another namespace: only the mount itself is known to be this process's
	}
	for {
		below = strings.TrimRight(below, "/")
		all = append(all, group{version, strings.Trim(mounted, "/") + below, strings.TrimSuffix(from, "/") + below + rootName(from, below)})
		if below == "" {
			return all
		}
		below = below[:strings.LastIndexByte(below, '/')+1]
	}
}

// rootName is the name of the root, which is empty otherwise.
func rootName(from, below string) string {
	if below == "" && from == "/" {
		return "/"
	}
	return ""
}

// has reports whether a list separated by commas has a word.
func has(list, word string) bool {
	for w := range strings.SplitSeq(list, ",") {
		if w == word {
			return true
		}
	}
	return false
}

// lines yields the lines of a file; none if it cannot be read.
func lines(root fs.FS, name string) func(yield func(string) bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return func(func(string) bool) {}
	}
	return strings.SplitSeq(strings.TrimSpace(string(text)), "\n")
}

// fields reads a file of names and numbers, in a unit.
func fields(root fs.FS, name string, unit int64) map[string]int64 {
	values := map[string]int64{}
	for line := range lines(root, name) {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		if n, err := strconv.ParseInt(words[1], 10, 64); err == nil && n <= math.MaxInt64/unit {
			values[words[0]] = n * unit
		}
	}
	return values
}

// number reads a file with one number; false for "max" and without the file.
func number(root fs.FS, name string) (int64, bool) {
	for line := range lines(root, name) {
		n, err := strconv.ParseInt(line, 10, 64)
		return n, err == nil && n >= 0
	}
	return 0, false
}
