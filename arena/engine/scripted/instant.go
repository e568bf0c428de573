package main

import (
	"bufio"
	"bytes"
	"os"

	"github.com/xqlab/xqlab/movegen"
)

// instant answers UCI as fast as it can: for measuring what the talk itself costs. Like
// other engines it sets up each position anew and writes each line at once.
type instant struct {
	pos movegen.Position
	out []byte
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
	head, moves, _ := bytes.Cut(line, []byte(" moves"))
	fen := movegen.StartFEN
	if f, ok := bytes.CutPrefix(head, []byte("fen ")); ok {
		fen = string(f)
	}
	pos, err := movegen.ParseFEN(fen)
	if err != nil {
		os.Exit(1)
	}
	e.pos = *pos
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
	e.out = append(append(append(e.out[:0], "info depth 1 score cp 7 nodes 1 pv "...), m...), '\n')
	os.Stdout.Write(e.out)
	e.out = append(append(append(e.out[:0], "bestmove "...), m...), '\n')
	os.Stdout.Write(e.out)
}
