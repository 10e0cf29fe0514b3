package main

import "syscall"

// mountDisk mounts a disk that is large enough for a week and soon full.
func mountDisk(dir string) (unmount func(), err error) {
	return func() { syscall.Unmount(dir, syscall.MNT_DETACH) }, syscall.Mount("none", dir, "tmpfs", 0, "size=160m")
}
