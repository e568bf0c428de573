package pgn

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
)

// Open opens a file for reading and unpacks it if its first bytes say that it is
// gzipped, whatever its name. "-" is standard input.
func Open(path string) (io.ReadCloser, error) {
	f := os.Stdin
	if path != "-" {
		var err error
		if f, err = os.Open(path); err != nil {
			return nil, err
		}
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, fmt.Errorf("%s is a folder; name the files in it", path)
	}
	r, err := Unpack(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &unpacked{r, f}, nil
}

type unpacked struct {
	io.Reader
	file *os.File
}

func (u *unpacked) Close() error { return u.file.Close() }

// Unpack returns a reader of r's content, which is unpacked if it begins as gzip does.
func Unpack(r io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(r, 64<<10)
	if magic, err := b.Peek(2); err != nil || magic[0] != 0x1f || magic[1] != 0x8b {
		return b, nil // an error of reading comes again from b
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, gzipError(err)
	}
	return gzipped{z}, nil
}

// gzipped says what is wrong with packed data.
type gzipped struct{ z *gzip.Reader }

// Read reads unpacked bytes.
func (g gzipped) Read(b []byte) (int, error) {
	n, err := g.z.Read(b)
	if err != nil && err != io.EOF {
		err = gzipError(err)
	}
	return n, err
}

func gzipError(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fmt.Errorf("gzip: the file is cut off: %w", io.ErrUnexpectedEOF)
	case errors.Is(err, gzip.ErrHeader):
		return fmt.Errorf("gzip: no gzip data, or something else behind it: %w", err)
	case errors.Is(err, gzip.ErrChecksum), errors.As(err, &corrupt):
		return fmt.Errorf("gzip: the file is damaged: %w", err)
	}
	return err
}

// ErrLongLine is wrapped by LineReader's error for a line above its bound.
var ErrLongLine = errors.New("the line is too long")

// LineReader reads lines of bounded length. A longer line is skipped in small pieces and
// is an error of its own; reading goes on behind it.
type LineReader struct {
	r      *bufio.Reader
	max    int
	line   []byte
	number int
}

// NewLineReader reads lines of at most longest bytes from r.
func NewLineReader(r io.Reader, longest int) *LineReader {
	return &LineReader{r: bufio.NewReaderSize(r, 64<<10), max: longest}
}

// Number returns the number of the last line, from 1.
func (l *LineReader) Number() int { return l.number }

// Next returns the next line without its end and without a byte-order mark, valid until
// the next call. At the end it returns io.EOF; an error that wraps ErrLongLine lets
// reading go on.
func (l *LineReader) Next() ([]byte, error) {
	l.line, l.number = l.line[:0], l.number+1
	long := false
	for {
		part, err := l.r.ReadSlice('\n')
		long = long || len(l.line)+len(bytes.TrimRight(part, "\r\n")) > l.max
		if !long {
			l.line = append(l.line, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && len(part) == 0 && len(l.line) == 0 && !long:
			return nil, io.EOF
		case err != nil && err != io.EOF:
			return nil, err
		case long:
			return nil, fmt.Errorf("%w: more than %d bytes", ErrLongLine, l.max)
		}
		return l.trim(), nil
	}
}

func (l *LineReader) trim() []byte {
	line := bytes.TrimRight(l.line, "\r\n")
	if l.number == 1 {
		line = bytes.TrimPrefix(line, []byte(byteOrderMark))
	}
	return line
}
