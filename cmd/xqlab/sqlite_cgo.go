//go:build cgo

package main

import "github.com/mattn/go-sqlite3"

func sqliteVersion() string {
	v, _, _ := sqlite3.Version()
	return v
}
