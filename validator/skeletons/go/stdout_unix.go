//go:build darwin || freebsd || netbsd || openbsd

package main

import (
	"os"
	"syscall"
)

// takeStandardOutput keeps the replies' stream, and points standard output at standard error, for
// C libraries as well.
func takeStandardOutput() *os.File {
	kept, err := syscall.Dup(1)
	if err == nil {
		syscall.CloseOnExec(kept)
		err = syscall.Dup2(2, 1)
	}
	if err != nil {
		fail("standard output cannot be kept: %v", err)
	}
	return os.NewFile(uintptr(kept), "replies")
}
