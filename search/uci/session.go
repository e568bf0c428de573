package uci

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/xqlab/xqlab/eval"
	"github.com/xqlab/xqlab/movegen"
	"github.com/xqlab/xqlab/movegen/referee"
	"github.com/xqlab/xqlab/search"
)

// maxLine bounds a line of input in bytes.
const maxLine = 4 << 20

// session is one conversation.
type session struct {
	version string
	room    func(hashMB int) error
	out     *lockedWriter
	ucci    bool

	options settings
	engine  *search.Engine // nil when an option asks for another
	game    *referee.Game
	banned  []movegen.Move

	stop      context.CancelFunc // ends the search under way, nil without one
	done      chan struct{}      // closed when its bestmove is written
	pondering bool
}

// lockedWriter writes whole lines from several goroutines.
type lockedWriter struct {
	mu sync.Mutex
	w  *bufio.Writer
}

func (l *lockedWriter) printf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(l.w, format+"\n", args...)
	l.w.Flush()
}

// Run answers commands until quit or the end of the input. version is told in "id name".
// room returns an error if a hash of so many MB cannot be had; nil for never.
// Its error is one of reading; a search under way is stopped.
func Run(in io.Reader, out io.Writer, version string, room func(hashMB int) error) error {
	s := &session{version: version, out: &lockedWriter{w: bufio.NewWriter(out)}, options: defaultSettings(), room: room}
	if err := s.newGame(movegen.StartPosition()); err != nil {
		return err
	}
	defer s.halt()
	for r := bufio.NewReaderSize(in, 1<<16); ; {
		line, err := readLine(r)
		switch {
		case errors.Is(err, errLong):
			s.complain(err)
			continue
		case err != nil && err != io.EOF:
			return fmt.Errorf("reading commands: %w", err)
		}
		if f := strings.Fields(line); len(f) > 0 && !s.command(f) || err == io.EOF {
			return nil
		}
	}
}

var errLong = fmt.Errorf("a line of more than %d bytes", maxLine)

// readLine reads a line; one that is too long is passed over.
func readLine(r *bufio.Reader) (string, error) {
	var line []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxLine; !long {
			line = append(line, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
		case long && err == nil:
			return "", errLong
		default:
			return string(line), err
		}
	}
}

// complain tells of bad input.
func (s *session) complain(err error) { s.out.printf("info string error: %v", err) }

// command carries out one line and reports whether to go on.
func (s *session) command(f []string) bool {
	var err error
	switch f[0] {
	case "uci":
		s.ucci = false
		s.identify()
	case "ucci":
		s.ucci = true
		s.identify()
	case "isready":
		if s.idle() {
			err = s.prepare()
		}
		s.out.printf("readyok")
	case "setoption":
		s.halt()
		err = s.setOption(f[1:])
	case "ucinewgame", "uccinewgame":
		s.halt()
		err = s.forget()
	case "position":
		s.halt()
		err = s.position(f[1:])
	case "startpos", "fen":
		s.halt()
		err = s.position(f)
	case "banmoves":
		err = s.ban(f[1:])
	case "go":
		s.halt()
		err = s.search(f[1:])
	case "stop":
		s.stopSearch()
	case "ponderhit":
		s.ponderHit()
	case "quit":
		s.halt()
		if s.ucci {
			s.out.printf("bye")
		}
		return false
	default:
		s.halt()
		err = s.extra(f)
	}
	if err != nil {
		s.complain(err)
	}
	return true
}

// identify answers uci or ucci.
func (s *session) identify() {
	s.out.printf("id name xqlab %s", s.version)
	s.out.printf("id author the xqlab authors")
	for _, o := range s.options.list() {
		s.out.printf("%s", o.declare(s.ucci))
	}
	if s.ucci {
		s.out.printf("ucciok")
	} else {
		s.out.printf("uciok")
	}
}

// prepare makes the engine that the options ask for.
func (s *session) prepare() error {
	if s.engine != nil {
		return nil
	}
	w, err := s.options.loadWeights()
	if err != nil {
		return err
	}
	s.engine = search.New(w, s.options.params, search.Options{HashMB: s.options.hash, Threads: s.options.threads})
	return nil
}

// forget clears what was learnt in the last game.
func (s *session) forget() error {
	if s.engine != nil {
		s.engine.NewGame()
	}
	return s.prepare()
}

func (s *session) newGame(p *movegen.Position) error {
	rules, err := referee.Named(s.options.rules)
	if err != nil {
		return err
	}
	s.game = referee.NewGame(p, rules)
	s.banned = nil
	return nil
}

// position reads "startpos|fen F [moves …]". At an illegal move it keeps the position
// before it and says so.
func (s *session) position(f []string) error {
	board, moves := f, []string(nil)
	for i, word := range f {
		if word == "moves" {
			board, moves = f[:i], f[i+1:]
			break
		}
	}
	start := movegen.StartPosition()
	switch {
	case len(board) == 1 && board[0] == "startpos":
	case len(board) > 1 && board[0] == "fen":
		p, err := movegen.ParseFENLenient(strings.Join(board[1:], " "))
		if err != nil {
			return err
		}
		start = p
	default:
		return fmt.Errorf("position %q, want startpos or fen FEN, then moves", clip(strings.Join(board, " ")))
	}
	if err := s.newGame(start); err != nil {
		return err
	}
	for i, text := range moves {
		m, err := movegen.ParseMove(text)
		if err != nil {
			return fmt.Errorf("position: move %d: %w", i+1, err)
		}
		if !s.game.Position().IsLegal(m) {
			return fmt.Errorf("position: move %d, %s, is not legal in %s", i+1, text, s.game.Position().FEN())
		}
		s.game.Push(m)
	}
	return nil
}

// clip shortens text from outside.
func clip(text string) string {
	const most = 80
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}

// ban notes UCCI's forbidden moves of this position.
func (s *session) ban(f []string) error {
	s.banned = nil
	for _, text := range f {
		m, err := movegen.ParseMove(text)
		if err != nil {
			return fmt.Errorf("banmoves: %w", err)
		}
		s.banned = append(s.banned, m)
	}
	return nil
}

// search starts thinking.
func (s *session) search(f []string) error {
	if len(f) > 1 && f[0] == "perft" {
		return s.perft(f[1])
	}
	if err := s.prepare(); err != nil {
		return err
	}
	l, err := s.limits(f)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	s.stop, s.done, s.pondering = cancel, done, l.Ponder
	engine, game := s.engine, s.game
	go func() {
		defer close(done)
		defer cancel()
		p := printer{s.out, s.ucci}
		p.result(engine.Search(ctx, game, l, p.info))
	}()
	return nil
}

// halt stops a search under way and waits for its bestmove.
func (s *session) halt() {
	if s.stop != nil {
		s.stop()
		<-s.done
		s.stop, s.done, s.pondering = nil, nil, false
	}
}

func (s *session) stopSearch() {
	if s.idle() && s.ucci {
		s.out.printf("nobestmove")
	}
	s.halt()
}

// idle reports whether no search is under way.
func (s *session) idle() bool {
	if s.stop == nil {
		return true
	}
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

func (s *session) ponderHit() {
	if s.pondering {
		s.pondering = false
		s.engine.PonderHit()
	}
}

// extra carries out the commands for people.
func (s *session) extra(f []string) error {
	switch f[0] {
	case "d":
		s.showBoard()
	case "eval":
		return s.showEval()
	case "bench":
		return s.bench()
	case "perft":
		if len(f) > 1 {
			return s.perft(f[1])
		}
		return fmt.Errorf("perft: how deep?")
	case "debug", "register":
	default:
		return fmt.Errorf("unknown command %q", clip(f[0]))
	}
	return nil
}

func (s *session) showBoard() {
	p := s.game.Position()
	for r := movegen.Ranks - 1; r >= 0; r-- {
		var b strings.Builder
		for f := range movegen.Files {
			letter := byte('.')
			if pc := p.At(movegen.SquareAt(f, r)); pc != movegen.NoPiece {
				letter = pc.Letter()
			}
			b.WriteByte(' ')
			b.WriteByte(letter)
		}
		s.out.printf("%d %s", r, b.String())
	}
	s.out.printf("   a b c d e f g h i\n")
	s.out.printf("Fen: %s\nKey: %016X\nRules: %s", p.FEN(), p.Key(), s.game.Rules().Name)
}

func (s *session) showEval() error {
	w, err := s.options.loadWeights()
	if err != nil {
		return err
	}
	p := s.game.Position()
	e := eval.New(w)
	var b strings.Builder
	if err := e.Explain(p).Write(&b); err != nil {
		return err
	}
	s.out.printf("%sEvaluation: %+d centipawns for %s, to move", b.String(), e.Evaluate(p, nil), p.Side())
	return nil
}

func (s *session) perft(text string) error {
	depth, err := strconv.Atoi(text)
	if err != nil || depth < 1 || depth > 20 {
		return fmt.Errorf("perft %q, want a depth from 1 to 20", clip(text))
	}
	p := *s.game.Position()
	var l movegen.MoveList
	p.Legal(&l)
	var total uint64
	for _, m := range l.Slice() {
		var u movegen.Undo
		p.Make(m, &u)
		n := movegen.Perft(&p, depth-1)
		p.Unmake(m, &u)
		total += n
		s.out.printf("%s: %d", m, n)
	}
	s.out.printf("\nNodes searched: %d\n", total)
	return nil
}

func (s *session) bench() error {
	w, err := s.options.loadWeights()
	if err != nil {
		return err
	}
	r, err := search.Bench(context.Background(), w, s.options.params, search.Options{HashMB: s.options.hash, Threads: s.options.threads})
	if err != nil {
		return err
	}
	for i, p := range r.Positions {
		s.out.printf("Position %d/%d: %s nodes %d bestmove %s", i+1, len(r.Positions), p.FEN, p.Nodes, p.Move)
	}
	s.out.printf("\nSuite           : %s\nSignature       : %s\nTotal time (ms) : %d\nNodes searched  : %d\nNodes/second    : %d", r.Suite, r.Signature,
		r.Elapsed.Milliseconds(), r.Nodes, uint64(float64(r.Nodes)/max(r.Elapsed, time.Microsecond).Seconds()))
	return nil
}
