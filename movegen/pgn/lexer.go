package pgn

import (
	"bytes"
	"io"
)

// lexer gives the decoded bytes of a file and counts its lines. Nothing of it grows with
// the length of lines or of the file.
type lexer struct {
	dec  *decoder
	buf  []byte
	pos  int
	line int
	err  error // io.EOF or an error of reading, once buf is used up
}

// fill reads on and reports whether there is a byte at pos.
func (l *lexer) fill() bool {
	for l.pos == len(l.buf) {
		if l.err != nil {
			return false
		}
		l.pos = 0
		l.buf, l.err = l.dec.next(l.buf[:0])
	}
	return true
}

// ahead makes n bytes at pos visible, fewer at the end of the file.
func (l *lexer) ahead(n int) []byte {
	for len(l.buf)-l.pos < n && l.err == nil {
		l.buf = append(l.buf[:0], l.buf[l.pos:]...)
		l.pos = 0
		l.buf, l.err = l.dec.next(l.buf)
	}
	return l.buf[l.pos:min(l.pos+n, len(l.buf))]
}

// next takes a byte.
func (l *lexer) next() (byte, bool) {
	if l.pos == len(l.buf) && !l.fill() {
		return 0, false
	}
	c := l.buf[l.pos]
	l.pos++
	if c == '\n' {
		l.line++
	}
	return c, true
}

// peek looks at the next byte.
func (l *lexer) peek() (byte, bool) {
	if l.pos == len(l.buf) && !l.fill() {
		return 0, false
	}
	return l.buf[l.pos], true
}

// Kinds of characters in move text.
const (
	inWord = iota
	blank
	special // ends a word and is one itself
)

var kinds = func() (t [256]byte) {
	for _, c := range " \t\r\n\v\f" {
		t[c] = blank
	}
	for _, c := range "{}()[];$" {
		t[c] = special
	}
	return t
}()

// skipBlank skips white space and byte-order marks and reports whether an empty line was in it.
func (l *lexer) skipBlank() (emptyLine bool) {
	lines := 0
	for {
		c, ok := l.peek()
		if ok && c == byteOrderMark[0] && string(l.ahead(len(byteOrderMark))) == byteOrderMark {
			l.pos += len(byteOrderMark)
			continue
		}
		if !ok || kinds[c] != blank {
			return lines > 1
		}
		if l.pos++; c == '\n' {
			l.line++
			lines++
		}
	}
}

// word appends to b the characters up to the next blank or special one, at most longest
// bytes of them.
func (l *lexer) word(b []byte, longest int) []byte {
	most := len(b) + longest
	for l.pos < len(l.buf) || l.fill() {
		rest := l.buf[l.pos:]
		n := 0
		for n < len(rest) && kinds[rest[n]] == inWord {
			n++
		}
		b = append(b, rest[:min(n, max(most-len(b), 0))]...)
		if l.pos += n; n < len(rest) {
			break
		}
	}
	return b
}

// until appends to b the characters before the first of end, which is taken, at most
// longest bytes. It reports whether there was such a character: a line that begins a new
// game stops it before that line.
func (l *lexer) until(b []byte, end byte, longest int) ([]byte, bool) {
	most := len(b) + longest
	stop := []byte{end, '\n'}
	for l.pos < len(l.buf) || l.fill() {
		rest := l.buf[l.pos:]
		n := bytes.IndexAny(rest, string(stop))
		if n < 0 {
			n = len(rest)
		}
		b = append(b, rest[:min(n, max(most-len(b), 0))]...)
		if l.pos += n; n == len(rest) {
			continue
		}
		if c, _ := l.next(); c == end {
			return b, true
		}
		if len(b) < most {
			b = append(b, ' ')
		}
		if head := l.ahead(len(`[Event "`)); beginsGame(head) {
			return b, false
		}
	}
	return b, false
}

// restOfLine appends to b the characters up to the end of the line, which is taken.
func (l *lexer) restOfLine(b []byte, longest int) []byte {
	b, _ = l.until(b, '\n', longest)
	return bytes.TrimRight(b, "\r")
}

// readError returns the error that ended reading unless it is the end of the file.
func (l *lexer) readError() error {
	if l.err == io.EOF {
		return nil
	}
	return l.err
}
