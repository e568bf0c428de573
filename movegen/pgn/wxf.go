package pgn

import "strings"

// wxfFormat begins a WXF file as XieXie and others write it: lines "NAME value", then the
// moves between "START{" and "}END". A file with a FEN may have no moves.
const wxfFormat = "FORMAT"

// wxfTags are the tags for the names that are not simply in upper case.
var wxfTags = map[string]string{"GAME": "Title", "OPEN": "Opening", "FEN": "FEN", "FORMAT": ""}

// wxfHeader reads the lines up to START.
func (r *Reader) wxfHeader(d *draft) {
	d.seen, d.wxf = true, true
	for {
		r.lex.skipBlank()
		if _, more := r.lex.peek(); !more {
			return
		}
		if string(r.lex.ahead(len("START{"))) == "START{" {
			for range len("START{") {
				r.lex.next()
			}
			return
		}
		line := r.lex.line
		text := string(r.lex.restOfLine(nil, maxTagText))
		name, value, _ := strings.Cut(strings.ReplaceAll(text, "\t", " "), " ")
		if d.tagText += len(text); d.tagText > maxTagText || len(d.tags) >= maxTags {
			d.fail(line, "more than %d lines or %d bytes before START", maxTags, maxTagText)
			continue
		}
		tag, special := wxfTags[name]
		if !special && name != "" {
			tag = name[:1] + strings.ToLower(name[1:])
		}
		if tag != "" {
			d.tags.Set(tag, strings.TrimSpace(value))
		}
	}
}
