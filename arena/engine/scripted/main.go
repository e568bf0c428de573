// Command scripted is an engine for tests: it speaks each protocol, plays a legal move
// that depends on the position alone, and misbehaves in the way that -do names from its
// -at'th go on. It is not shipped.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/xqlab/xqlab/movegen"
)

type scripted struct {
	proto, do, info, id, option string
	base, at                    int
	pause                       time.Duration

	lines  chan string
	out    *bufio.Writer
	pos    *movegen.Position
	gos    int
	banned []string // moves not to play in this position
	stray  string   // a line still to be said
}

func main() {
	e := &scripted{out: bufio.NewWriter(os.Stdout), pos: movegen.StartPosition()}
	flag.StringVar(&e.proto, "proto", "uci", "uci, ucci or cyclone")
	flag.StringVar(&e.do, "do", "", "misbehaviour")
	flag.StringVar(&e.info, "info", "depth 1 score cp 7 nodes 1", "what info says")
	flag.StringVar(&e.id, "id", "scripted", "id name")
	flag.StringVar(&e.option, "option", "", "what follows the word option, separated by |")
	flag.IntVar(&e.base, "base", 0, "number of the first rank")
	flag.IntVar(&e.at, "at", 1, "the go to misbehave from")
	flag.DurationVar(&e.pause, "pause", 0, "thinking time")
	flag.Parse()
	switch e.do {
	case "exit-at-start":
		fmt.Println("cannot find the network")
		os.Exit(3)
	case "silent-start":
		time.Sleep(1000 * time.Second)
	case "stderr-start":
		fmt.Fprintln(os.Stderr, "no licence found")
		os.Exit(4)
	case "flood-start":
		e.flood("info string loading")
	case "child": // a process that outlives this one unless the whole group is killed
		c := exec.Command("sleep", "1000")
		c.Stdout = os.Stdout
		c.Start()
	case "session", "daemon": // the same in a session of its own; as a daemon also without its parent
		words := []string{"setsid", "sleep", "1000"}
		if e.do == "daemon" {
			words = []string{"sh", "-c", "setsid setsid sleep 1000 & exit 0"}
		}
		c := exec.Command(words[0], words[1:]...)
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		c.Start()
		if e.do == "daemon" {
			c.Wait()
		}
	}
	e.run()
}

func (e *scripted) say(format string, args ...any) { fmt.Fprintf(e.out, format+"\n", args...) }

// run reads in a goroutine so that stop is seen while it thinks.
func (e *scripted) run() {
	e.lines = make(chan string)
	go func() {
		s := bufio.NewScanner(os.Stdin)
		s.Buffer(make([]byte, 1<<16), 1<<20)
		for s.Scan() {
			e.lines <- s.Text()
			if e.do == "deaf" && e.gos >= e.at {
				time.Sleep(1000 * time.Second)
			}
		}
		close(e.lines)
	}()
	for l := range e.lines {
		if !e.command(l) {
			break
		}
		e.out.Flush()
	}
	if e.do == "ignore-quit" {
		for range 1000 {
			time.Sleep(time.Second)
		}
	}
}

func (e *scripted) command(l string) bool {
	word, rest, _ := strings.Cut(l, " ")
	if e.stray != "" {
		e.say("%s", e.stray)
		e.stray = ""
	}
	switch word {
	case "uci":
		if e.proto != "ucci" {
			e.greet("uciok")
		}
	case "ucci":
		if e.proto == "ucci" {
			e.greet("ucciok")
		}
	case "isready":
		if e.do == "no-ready" && e.gos >= e.at {
			return true
		}
		e.say("readyok")
	case "setoption":
		fmt.Fprintln(os.Stderr, l)
	case "position":
		if e.proto != "cyclone" {
			e.position(rest)
		}
	case "banmoves":
		e.banned = strings.Fields(rest)
	case "fen", "startpos":
		if e.proto == "cyclone" {
			e.position(l)
		}
	case "go":
		if depth, ok := strings.CutPrefix(rest, "perft "); ok && strings.HasPrefix(e.do, "perft") {
			e.perft(int(depth[0] - '0'))
			return true
		}
		e.gos++
		e.think()
	case "stop":
		if e.proto == "ucci" {
			e.say("nobestmove")
		}
	case "quit":
		return false
	}
	return true
}

func (e *scripted) greet(ok string) {
	e.say("id name %s", e.id)
	e.say("id author xqlab")
	for _, o := range strings.Split(e.option, "|") {
		if o != "" {
			e.say("option %s", o)
		}
	}
	if e.do != "no-ok" {
		e.say(ok)
	}
}

// position reads startpos or a FEN and moves; like the strictest engines, it ends at an
// illegal move.
func (e *scripted) position(text string) {
	head, moves, _ := strings.Cut(text, "moves")
	fen := movegen.StartFEN
	if f, ok := strings.CutPrefix(strings.TrimSpace(head), "fen "); ok {
		fen = f
	}
	if strings.ContainsAny(fen[:strings.IndexByte(fen, ' ')], "hHeE") || strings.Contains(fen, " r ") {
		e.fatal("Invalid piece or side in %q", fen)
	}
	pos, err := movegen.ParseFEN(fen)
	if err != nil {
		e.fatal("CRITICAL ERROR: %v", err)
	}
	var u movegen.Undo
	for _, t := range strings.Fields(moves) {
		m := e.legal(pos, t)
		if m == movegen.NoMove {
			e.fatal("CRITICAL ERROR: illegal move %s in %q", t, pos.FEN())
		}
		pos.Make(m, &u)
	}
	e.pos, e.banned = pos, nil
}

func (e *scripted) fatal(format string, args ...any) {
	e.say("info string "+format, args...)
	e.out.Flush()
	os.Exit(1)
}

func (e *scripted) legal(pos *movegen.Position, text string) movegen.Move {
	var l movegen.MoveList
	pos.Legal(&l)
	for _, m := range l.Slice() {
		if e.text(m) == text {
			return m
		}
	}
	return movegen.NoMove
}

func (e *scripted) text(m movegen.Move) string {
	return fmt.Sprintf("%c%d%c%d", 'a'+m.From().File(), m.From().Rank()+e.base, 'a'+m.To().File(), m.To().Rank()+e.base)
}

// think answers go, badly from the at'th on.
func (e *scripted) think() {
	var l movegen.MoveList
	e.pos.Legal(&l)
	if l.Len() == 0 {
		e.say("info depth 0 score mate 0")
		e.say("bestmove (none)")
		return
	}
	moves := slices.DeleteFunc(l.Slice(), func(m movegen.Move) bool { return slices.Contains(e.banned, e.text(m)) })
	m := e.text(moves[e.pos.Key()%uint64(len(moves))])
	if e.gos >= e.at && e.misbehave(m) {
		return
	}
	if e.pause > 0 {
		time.Sleep(e.pause)
	}
	e.say("info %s pv %s", e.info, m)
	e.say("bestmove %s", m)
}

// misbehave does what -do says and reports whether that was the answer.
func (e *scripted) misbehave(m string) bool {
	switch e.do {
	case "silent":
		e.until("")
	case "only-after-stop":
		e.until("stop")
		e.say("bestmove %s", m)
	case "flood":
		e.flood("info depth 1 score cp 1 nodes 1 pv " + m)
	case "flood-until-stop":
		e.floodUntilStop()
		e.say("bestmove %s", m)
	case "trickle": // a line now and then, for ever
		for {
			e.say("info depth 1 currmove %s", m)
			e.out.Flush()
			time.Sleep(20 * time.Millisecond)
		}
	case "crash":
		e.say("info string about to fail")
		e.out.Flush()
		crash()
	case "exit":
		e.say("info string giving up")
		e.out.Flush()
		os.Exit(7)
	case "exit-after":
		e.say("bestmove %s", m)
		e.out.Flush()
		os.Exit(0)
	case "close":
		os.Stdout.Close()
		time.Sleep(1000 * time.Second)
	case "none":
		e.say("bestmove (none)")
	case "zero":
		e.say("bestmove 0000")
	case "empty":
		e.say("bestmove")
	case "garbage":
		e.say("bestmove \x00\xff%%s%%n ../../etc")
	case "illegal":
		e.say("bestmove a%dl%d", e.base, e.base+9)
	case "illegal-move":
		e.say("bestmove %s", e.text(movegen.NewMove(movegen.SquareAt(4, 0), movegen.SquareAt(4, 5))))
	case "no-move": // UCCI's word
		e.say("nobestmove")
	case "resign":
		e.say("bestmove %s resign", m)
	case "draw":
		e.say("bestmove %s draw", m)
	case "ponder":
		e.say("bestmove %s ponder %s", m, m)
	default:
		return e.noise(m)
	}
	return true
}

// noise prints what must do no harm, before a good move.
func (e *scripted) noise(m string) bool {
	switch e.do {
	case "long-line":
		e.say("info depth 1 score cp 1 pv %s", strings.Repeat(" "+m, 60000))
	case "binary":
		r := rand.New(rand.NewPCG(1, uint64(e.gos)))
		junk := make([]byte, 300000)
		for i := range junk {
			junk[i] = byte(r.Uint32())
		}
		e.out.Write(junk)
		e.say("")
	case "stderr":
		io.WriteString(os.Stderr, strings.Repeat("x", 2<<20)+"\nlast words\n")
	case "chatter": // prints while it is not its turn
		go func() {
			for range 2000 {
				os.Stdout.WriteString("info string " + strings.Repeat("y", 1000) + "\n")
			}
		}()
	case "twice":
		e.say("bestmove %s", m)
		e.out.Flush()
	case "twice-late": // the second one comes when the next command is read
		e.stray = "bestmove " + m
	}
	return false
}

// until waits for a line, for ever when it is empty.
func (e *scripted) until(want string) {
	e.out.Flush()
	for l := range e.lines {
		if l == want && want != "" {
			return
		}
	}
	time.Sleep(1000 * time.Second)
}

func (e *scripted) flood(line string) {
	for {
		e.say("%s", line)
	}
}

func (e *scripted) floodUntilStop() {
	for {
		select {
		case l := <-e.lines:
			if l == "stop" {
				return
			}
		default:
			e.say("info depth 1 score cp 1 nodes 1")
		}
	}
}

// crash ends the process as a fault would.
func crash() {
	p, _ := os.FindProcess(os.Getpid())
	p.Signal(syscall.SIGKILL)
	time.Sleep(time.Second)
	os.Exit(139)
}
