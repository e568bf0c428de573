//go:build !cgo

package main

func sqliteVersion() string { return "" }
