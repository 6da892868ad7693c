//go:build !(linux || darwin || freebsd || netbsd || openbsd)

package main

import "os"

// takeStandardOutput keeps the replies' stream and points Go's standard output at standard error.
// What a C library prints still goes between the replies: end its lines, or silence it.
func takeStandardOutput() *os.File {
	kept := os.Stdout
	os.Stdout = os.Stderr
	return kept
}
