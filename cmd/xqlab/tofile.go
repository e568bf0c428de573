package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// toFile runs f with a writer to the file, or to standard output without one. The file
// takes its place only when it is whole, so that what is read may be written over and a
// failure costs nothing; a database is never replaced. Errors name the flag.
func toFile(con *console, flag, path string, f func(io.Writer) error) error {
	if path == "" {
		return buffered(con.out, f)
	}
	device, wrong := target(path)
	switch {
	case wrong != "":
		return usagef("%s %s: it %s", flag, path, wrong)
	case device:
		return writeInto(flag, path, f)
	}
	part, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".part-*")
	if err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	defer os.Remove(part.Name()) // gone already when all went well
	err = buffered(part, f)
	if err := errors.Join(err, part.Chmod(0o644), part.Close()); err != nil {
		return err
	}
	return os.Rename(part.Name(), path)
}

// putFile writes data as toFile does.
func putFile(con *console, flag, path string, data []byte) error {
	return toFile(con, flag, path, func(w io.Writer) error { _, err := w.Write(data); return err })
}

// checkOutput finds out before anything is computed whether toFile could write the file.
func checkOutput(flag, path string) error {
	if path == "" {
		return nil
	}
	device, wrong := target(path)
	switch {
	case wrong != "":
		return usagef("%s %s %s", flag, path, wrong)
	case device:
		return nil
	}
	probe, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".part-*")
	if err != nil {
		return fmt.Errorf("%s %s cannot be written: %w", flag, path, err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// target says whether what is there is written into, being a device or a pipe, and why it must
// not be written to.
func target(path string) (device bool, wrong string) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return false, ""
	case info.IsDir():
		return false, "is a folder; name a file"
	case !info.Mode().IsRegular():
		return true, ""
	case isDatabase(path):
		return false, "is a database; name another file"
	}
	return false, ""
}

func writeInto(flag, path string, f func(io.Writer) error) error {
	out, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	err = buffered(out, f)
	if closed := out.Close(); err == nil {
		err = closed
	}
	return err
}

func buffered(to io.Writer, f func(io.Writer) error) error {
	w := bufio.NewWriter(to)
	if err := f(w); err != nil {
		return err
	}
	return w.Flush()
}

// isDatabase reports whether a file begins as every SQLite database does.
func isDatabase(path string) bool {
	const magic = "SQLite format 3\x00"
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(magic))
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == magic
}
