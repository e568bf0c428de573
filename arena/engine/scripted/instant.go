package main

import (
	"bufio"
	"bytes"
	"os"

	"github.com/xqlab/xqlab/movegen"
)

// instant answers UCI as fast as it can: for measuring what the talk itself costs. It
// follows the game by the moves that are new in a position line.
type instant struct {
	pos   movegen.Position
	known []byte // the position line that pos stands for
	out   []byte
}

func (e *instant) run() {
	in := bufio.NewReaderSize(stdin{}, 1<<16)
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return
		}
		line = bytes.TrimSuffix(line, []byte{'\n'})
		word, rest, _ := bytes.Cut(line, []byte{' '})
		switch string(word) {
		case "uci":
			e.say("id name instant\nuciok\n")
		case "isready":
			e.say("readyok\n")
		case "position":
			e.position(rest)
		case "go":
			e.think()
		case "quit":
			return
		}
	}
}

func (e *instant) say(s string) { os.Stdout.WriteString(s) }

func (e *instant) position(line []byte) {
	moves, ok := bytes.CutPrefix(line, e.known)
	if !ok || len(e.known) == 0 {
		head, list, _ := bytes.Cut(line, []byte(" moves"))
		fen := movegen.StartFEN
		if f, ok := bytes.CutPrefix(head, []byte("fen ")); ok {
			fen = string(f)
		}
		pos, err := movegen.ParseFEN(fen)
		if err != nil {
			os.Exit(1)
		}
		e.pos, moves = *pos, list
	}
	e.known = append(e.known[:0], line...)
	moves = bytes.TrimPrefix(moves, []byte(" moves"))
	for len(moves) >= 5 {
		m, err := movegen.ParseMove(string(moves[1:5]))
		if err != nil {
			os.Exit(1)
		}
		var u movegen.Undo
		e.pos.Make(m, &u)
		moves = moves[5:]
	}
}

func (e *instant) think() {
	var l movegen.MoveList
	e.pos.Legal(&l)
	m := l.Slice()[e.pos.Key()>>32%uint64(l.Len())].String()
	e.out = append(append(e.out[:0], "info depth 1 score cp 7 nodes 1 pv "...), m...)
	e.out = append(append(append(e.out, "\nbestmove "...), m...), '\n')
	os.Stdout.Write(e.out)
}
