package results

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"time"

	"github.com/xqlab/xqlab/movegen"
)

// The blob of a game's plies, format 1:
//
//	byte     format
//	byte     columns that follow, a bit each (column…)
//	uvarint  number of plies n
//	n × u16  move, bit 14: late                      little endian, as all below
//	n × i16  score from Red's view                   if columnScore
//	n × uvarint depth, then nodes, wall, cpu, delay  each if its bit is set
//	u32      CRC-32C of everything before
//
// A column is left out when it holds nothing, so that an imported game costs two bytes a
// ply and one from self-play about ten.
const (
	codecFormat = 1

	moveMask = 1<<14 - 1
	moveLate = 1 << 14
)

// The columns after the moves.
const (
	columnScore = 1 << iota
	columnDepth
	columnNodes
	columnWall
	columnCPU
	columnDelay
	columnsAll = 1<<iota - 1
)

// PlyLimit bounds the plies of a stored game: far more than any rule set lets a game last.
const PlyLimit = 1 << 16

// ErrBlob is wrapped by DecodePlies.
var ErrBlob = errors.New("damaged plies")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// AppendPlies appends the blob of the plies to buf. Durations are cut to microseconds;
// negative ones and a negative depth count as unknown. It refuses squares off the board
// and more than PlyLimit.
func AppendPlies(buf []byte, plies []Ply) ([]byte, error) {
	if len(plies) > PlyLimit {
		return buf, fmt.Errorf("%d plies, at most %d can be stored", len(plies), PlyLimit)
	}
	start := len(buf)
	columns := columnsOf(plies)
	buf = append(buf, codecFormat, columns)
	buf = binary.AppendUvarint(buf, uint64(len(plies)))
	for i := range plies {
		p := &plies[i]
		m := p.Move
		if m.From() >= movegen.Squares || m.To() >= movegen.Squares || m > moveMask {
			return buf[:start], fmt.Errorf("ply %d: %#x is no move between two squares", i+1, uint16(m))
		}
		if p.Late {
			m |= moveLate
		}
		buf = binary.LittleEndian.AppendUint16(buf, uint16(m))
	}
	if columns&columnScore != 0 {
		for i := range plies {
			buf = binary.LittleEndian.AppendUint16(buf, uint16(plies[i].Score))
		}
	}
	for c := byte(columnDepth); c <= columnDelay; c <<= 1 {
		if columns&c != 0 {
			for i := range plies {
				buf = binary.AppendUvarint(buf, plies[i].column(c))
			}
		}
	}
	return binary.LittleEndian.AppendUint32(buf, crc32.Checksum(buf[start:], castagnoli)), nil
}

// columnsOf returns the columns that hold something.
func columnsOf(plies []Ply) (columns byte) {
	for i := range plies {
		if plies[i].Score != NoScore {
			columns |= columnScore
		}
		for c := byte(columnDepth); c <= columnDelay; c <<= 1 {
			if columns&c == 0 && plies[i].column(c) != 0 {
				columns |= c
			}
		}
	}
	return columns
}

// column returns what the blob stores in a column of numbers.
func (p *Ply) column(c byte) uint64 {
	switch c {
	case columnDepth:
		return uint64(min(max(p.Depth, 0), math.MaxInt32))
	case columnNodes:
		return p.Nodes
	case columnWall:
		return micros(p.Wall)
	case columnCPU:
		return micros(p.CPU)
	}
	return micros(p.Delay)
}

func micros(d time.Duration) uint64 { return uint64(max(d, 0) / time.Microsecond) }

// DecodePlies reads a blob. It takes any bytes: what is not a whole, sound blob is an
// error that wraps ErrBlob, and no more is allocated than 28 bytes for each of data.
func DecodePlies(data []byte) ([]Ply, error) {
	body, columns, n, err := openBlob(data)
	if err != nil {
		return nil, err
	}
	plies := make([]Ply, n)
	for i := range plies {
		m := binary.LittleEndian.Uint16(body[2*i:])
		p := &plies[i]
		p.Move, p.Late, p.Score = movegen.Move(m&moveMask), m&moveLate != 0, NoScore
		if m&^(moveMask|moveLate) != 0 || p.Move.From() >= movegen.Squares || p.Move.To() >= movegen.Squares {
			return nil, fmt.Errorf("%w: ply %d: %#x is no move between two squares", ErrBlob, i+1, m)
		}
	}
	body = body[2*n:]
	if columns&columnScore != 0 {
		if len(body) < 2*n {
			return nil, fmt.Errorf("%w: it ends within the scores", ErrBlob)
		}
		for i := range plies {
			plies[i].Score = Score(binary.LittleEndian.Uint16(body[2*i:]))
		}
		body = body[2*n:]
	}
	return plies, decodeColumns(plies, body, columns)
}

// openBlob checks the frame of a blob and returns the body from the moves on, the
// columns and the number of plies, whose moves are all there.
func openBlob(data []byte) (body []byte, columns byte, n int, err error) {
	if len(data) < 7 {
		return nil, 0, 0, fmt.Errorf("%w: %d bytes, want at least 7", ErrBlob, len(data))
	}
	if data[0] != codecFormat {
		return nil, 0, 0, fmt.Errorf("%w: format %d, this xqlab knows %d", ErrBlob, data[0], codecFormat)
	}
	end := len(data) - 4
	if sum := binary.LittleEndian.Uint32(data[end:]); sum != crc32.Checksum(data[:end], castagnoli) {
		return nil, 0, 0, fmt.Errorf("%w: the checksum is wrong", ErrBlob)
	}
	columns = data[1]
	count, size := binary.Uvarint(data[2:end])
	switch {
	case columns&^columnsAll != 0:
		return nil, 0, 0, fmt.Errorf("%w: unknown columns %#x", ErrBlob, columns)
	case size <= 0 || count > PlyLimit || uint64(end-2-size) < 2*count:
		return nil, 0, 0, fmt.Errorf("%w: the number of plies does not fit its %d bytes", ErrBlob, len(data))
	}
	return data[2+size : end], columns, int(count), nil
}

// decodeColumns reads the columns of numbers, which must fill body to its end.
func decodeColumns(plies []Ply, body []byte, columns byte) error {
	at := 0
	for c := byte(columnDepth); c <= columnDelay; c <<= 1 {
		if columns&c == 0 {
			continue
		}
		for i := range plies {
			var v uint64
			if at < len(body) && body[at] < 0x80 {
				v = uint64(body[at])
				at++
			} else {
				var size int
				if v, size = binary.Uvarint(body[at:]); size <= 0 {
					return fmt.Errorf("%w: ply %d: a number is cut off or too large", ErrBlob, i+1)
				}
				at += size
			}
			if !plies[i].setColumn(c, v) {
				return fmt.Errorf("%w: ply %d: %d is out of range", ErrBlob, i+1, v)
			}
		}
	}
	if at != len(body) {
		return fmt.Errorf("%w: %d bytes too many", ErrBlob, len(body)-at)
	}
	return nil
}

// setColumn takes what column returned and reports whether it can be.
func (p *Ply) setColumn(c byte, v uint64) bool {
	const longest = math.MaxInt64 / uint64(time.Microsecond)
	switch c {
	case columnDepth:
		p.Depth = int(v)
		return v <= math.MaxInt32
	case columnNodes:
		p.Nodes = v
		return true
	}
	d := time.Duration(v) * time.Microsecond
	switch c {
	case columnWall:
		p.Wall = d
	case columnCPU:
		p.CPU = d
	default:
		p.Delay = d
	}
	return v <= longest
}
