package openings

import (
	"embed"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// embedded holds the books that come with the program: NAME.epd or NAME.epd.gz, made by
// a Maker (xqlab book make).
//
//go:embed books
var embedded embed.FS

// openEmbedded opens the book with the name, or returns fs.ErrNotExist.
func openEmbedded(name string) (io.ReadCloser, error) {
	if f, err := embedded.Open("books/" + name + ".epd.gz"); err == nil {
		return f, nil
	}
	f, err := embedded.Open("books/" + name + ".epd")
	if err != nil {
		return nil, fmt.Errorf("no embedded book %q; there are %s: %w", name, strings.Join(Embedded(), ", "), fs.ErrNotExist)
	}
	return f, nil
}

// Embedded returns the names of the embedded books.
func Embedded() []string {
	files, err := embedded.ReadDir("books")
	if err != nil {
		panic("openings: the embedded folder is gone: " + err.Error())
	}
	var names []string
	for _, f := range files {
		if name, _, found := strings.Cut(f.Name(), ".epd"); found {
			names = append(names, name)
		}
	}
	return names
}
