//go:build !linux

package main

import "os"

type stdin struct{}

func (stdin) Read(p []byte) (int, error) { return os.Stdin.Read(p) }
