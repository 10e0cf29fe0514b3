package machine

import (
	"maps"
	"os"
	"runtime"
	"testing"
	"testing/fstest"
)

const mib = 1 << 20

// meminfo is a machine of 8 GiB, of which 6 are left.
var meminfo = map[string]string{"proc/meminfo": "MemTotal:        8388608 kB\nMemFree:          102400 kB\nMemAvailable:    6291456 kB\n"}

const (
	mountV2 = "30 24 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
	mountV1 = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n" +
		"35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
)

func TestReadMemory(t *testing.T) {
	for name, c := range map[string]struct {
		files       map[string]string
		left, limit int64 // MiB
		from        string
	}{
		"no control group": {nil, 6144, 8192, "machine"},
		"a group without a limit": {map[string]string{
			"proc/self/cgroup": "0::/system.slice\n", "proc/self/mountinfo": mountV2,
			"sys/fs/cgroup/system.slice/memory.max": "max\n", "sys/fs/cgroup/system.slice/memory.current": "1048576\n",
		}, 6144, 8192, "machine"},
		"version 2, as a unit of systemd": {map[string]string{
			"proc/self/cgroup": "0::/system.slice/fleetlake.service\n", "proc/self/mountinfo": mountV2,
			"sys/fs/cgroup/system.slice/fleetlake.service/memory.max":     "1073741824\n",
			"sys/fs/cgroup/system.slice/fleetlake.service/memory.current": "314572800\n",
			"sys/fs/cgroup/system.slice/fleetlake.service/memory.stat":    "anon 209715200\ninactive_file 104857600\nactive_file 1\n",
		}, 824, 1024, "control group /system.slice/fleetlake.service"},
		"version 2, where memory.high is lower": {map[string]string{
			"proc/self/cgroup": "0::/a\n", "proc/self/mountinfo": mountV2,
			"sys/fs/cgroup/a/memory.max": "1073741824\n", "sys/fs/cgroup/a/memory.high": "536870912\n", "sys/fs/cgroup/a/memory.current": "0\n",
		}, 512, 512, "control group /a"},
		"version 2, where a group above is tighter": {map[string]string{
			"proc/self/cgroup": "0::/pods/pod1/main\n", "proc/self/mountinfo": mountV2,
			"sys/fs/cgroup/pods/pod1/main/memory.max": "2147483648\n", "sys/fs/cgroup/pods/pod1/main/memory.current": "0\n",
			"sys/fs/cgroup/pods/pod1/memory.max": "1073741824\n", "sys/fs/cgroup/pods/pod1/memory.current": "805306368\n",
			"sys/fs/cgroup/pods/memory.max": "4294967296\n", "sys/fs/cgroup/pods/memory.current": "805306368\n",
		}, 256, 1024, "control group /pods/pod1"},
		"a container of version 2 with a namespace of its own": {map[string]string{
			"proc/self/cgroup": "0::/\n", "proc/self/mountinfo": "30 24 0:26 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n",
			"sys/fs/cgroup/memory.max": "536870912\n", "sys/fs/cgroup/memory.current": "268435456\n",
		}, 256, 512, "control group /"},
		"a container of version 1 that sees only its group": {map[string]string{
			"proc/self/cgroup":                             "4:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n",
			"proc/self/mountinfo":                          "35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":   "536870912\n",
			"sys/fs/cgroup/memory/memory.usage_in_bytes":   "419430400\n",
			"sys/fs/cgroup/memory/memory.stat":             "inactive_file 0\ntotal_inactive_file 104857600\n",
			"sys/fs/cgroup/cpu/memory.limit_in_bytes":      "1\n",
			"sys/fs/cgroup/memory/docker/abc/memory.limit": "1\n",
		}, 212, 512, "control group /docker/abc"},
		"version 1, whose number for no limit is larger than any machine": {map[string]string{
			"proc/self/cgroup": "4:memory:/\n", "proc/self/mountinfo": mountV1,
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n", "sys/fs/cgroup/memory/memory.usage_in_bytes": "419430400\n",
		}, 6144, 8192, "machine"},
		"a group that has used up its memory": {map[string]string{
			"proc/self/cgroup": "0::/a\n", "proc/self/mountinfo": mountV2,
			"sys/fs/cgroup/a/memory.max": "1073741824\n", "sys/fs/cgroup/a/memory.current": "1073745920\n",
		}, 0, 1024, "control group /a"},
		"files that are no numbers": {map[string]string{
			"proc/self/cgroup": "0::/a\nx\n", "proc/self/mountinfo": "x\n" + mountV2,
			"sys/fs/cgroup/a/memory.max": "lots\n", "sys/fs/cgroup/a/memory.current": "-1\n",
		}, 6144, 8192, "machine"},
	} {
		t.Run(name, func(t *testing.T) {
			files := fstest.MapFS{}
			for _, some := range []map[string]string{meminfo, c.files} {
				for path, text := range maps.All(some) {
					files[path] = &fstest.MapFile{Data: []byte(text)}
				}
			}
			got, known := ReadMemory(files)
			if want := (Memory{c.left * mib, c.limit * mib, c.from}); !known || got != want {
				t.Errorf("got %+v, %v, want %+v", got, known, want)
			}
		})
	}
}

func TestReadMemoryOfThisMachine(t *testing.T) {
	m, known := ReadMemory(os.DirFS("/"))
	if known != (runtime.GOOS == "linux") {
		t.Fatalf("known: %v on %s", known, runtime.GOOS)
	}
	if known && (m.Left < mib || m.Left > m.Limit) {
		t.Errorf("%+v", m)
	}
	if _, known := ReadMemory(fstest.MapFS{}); known {
		t.Error("memory is known without a file")
	}
}

// FuzzReadMemory checks that files of other kernels, however odd, give no memory or a possible one.
func FuzzReadMemory(f *testing.F) {
	f.Add("MemTotal: 8388608 kB\nMemAvailable: 6291456 kB\n", "0::/a\n", mountV2, "1073741824\n", "314572800\n")
	f.Add("MemTotal: 9223372036854775807 kB\nMemAvailable: -1 kB\n", "4:memory:/docker/abc\n", mountV1, "max\n", "x")
	f.Fuzz(func(t *testing.T, info, group, mounts, limit, used string) {
		root := fstest.MapFS{}
		for name, text := range map[string]string{
			"proc/meminfo": info, "proc/self/cgroup": group, "proc/self/mountinfo": mounts,
			"sys/fs/cgroup/a/memory.max": limit, "sys/fs/cgroup/a/memory.current": used,
			"sys/fs/cgroup/memory/memory.limit_in_bytes": limit, "sys/fs/cgroup/memory/memory.usage_in_bytes": used,
		} {
			root[name] = &fstest.MapFile{Data: []byte(text)}
		}
		if m, known := ReadMemory(root); known && (m.Left < 0 || m.Limit < 0) {
			t.Errorf("%+v", m)
		}
	})
}
