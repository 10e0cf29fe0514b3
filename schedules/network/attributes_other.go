//go:build !linux

package network

import "syscall"

// attributes make a process the leader of its own group, so that an interrupt from the keyboard reaches the scheduler
// alone.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func diesEarly(int) {}
