package pgn

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Encoding is a character encoding.
type Encoding uint8

// The encodings.
const (
	AnyEncoding Encoding = iota // found out from the content, for each game anew
	UTF8
	GB18030 // with GBK and GB2312
	Big5    // with the extensions of Hong Kong
	UTF16   // with a byte-order mark, otherwise little endian
)

var encodingNames = map[string]Encoding{
	"": AnyEncoding, "auto": AnyEncoding, "utf8": UTF8, "gb18030": GB18030, "gbk": GB18030, "gb2312": GB18030, "cp936": GB18030,
	"big5": Big5, "cp950": Big5, "big5hkscs": Big5, "utf16": UTF16,
}

// ParseEncoding reads a name such as UTF-8, GBK or Big5.
func ParseEncoding(name string) (Encoding, error) {
	e, ok := encodingNames[strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(name))]
	if !ok {
		return AnyEncoding, fmt.Errorf("encoding %q, want UTF-8, GB18030 (GBK), Big5 or UTF-16", name)
	}
	return e, nil
}

// String returns the usual name.
func (e Encoding) String() string {
	return [...]string{"auto", "UTF-8", "GB18030", "Big5", "UTF-16"}[e%5]
}

var tables = [...]encoding.Encoding{UTF8: unicode.UTF8, GB18030: simplifiedchinese.GB18030, Big5: traditionalchinese.Big5}

// blockSize bounds what is decoded at once.
const blockSize = 64 << 10

// decoder turns a file into UTF-8, block by block. A block ends before a line that begins
// a game, so that each game may have an encoding of its own, as when files were joined; a
// game longer than blockSize is several blocks. Which encoding it is, is judged from the
// block alone; in doubt the last block's goes on.
type decoder struct {
	src    *bufio.Reader
	fixed  Encoding
	last   Encoding
	raw    []byte // the block, undecoded, with what was left of the one before
	inTags bool   // the last line was a tag
	err    error
}

func newDecoder(r io.Reader, e Encoding) *decoder {
	d := &decoder{src: bufio.NewReaderSize(r, blockSize), fixed: e, last: UTF8}
	mark, _ := d.src.Peek(2)
	if e == UTF16 || string(mark) == "\xff\xfe" || string(mark) == "\xfe\xff" {
		utf16 := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
		d.src, d.fixed = bufio.NewReaderSize(transform.NewReader(d.src, utf16.NewDecoder()), blockSize), UTF8
	}
	return d
}

// next appends the next block to b in UTF-8. At the end it returns io.EOF.
func (d *decoder) next(b []byte) ([]byte, error) {
	if d.err != nil {
		return b, d.err
	}
	d.collect()
	if len(d.raw) == 0 {
		return b, d.err
	}
	final := d.err != nil
	if isASCII(d.raw) {
		b = append(b, d.raw...)
		d.raw = d.raw[:0]
		return b, nil
	}
	e := d.fixed
	if e == AnyEncoding {
		e = guess(d.raw, d.last, !final)
		d.last = e
	}
	b, rest := decode(b, d.raw, e, final)
	d.raw = append(d.raw[:0], rest...)
	return b, nil
}

// collect reads lines into d.raw up to the end of the block.
func (d *decoder) collect() {
	for begin := len(d.raw); len(d.raw) < blockSize; {
		// A line is looked at before it is taken: it may belong to the next block.
		head, _ := d.src.Peek(len(byteOrderMark + `[Event "`))
		head = bytes.TrimPrefix(head, []byte(byteOrderMark))
		isTag := len(head) > 0 && head[0] == '['
		if isTag && !d.inTags && len(d.raw) > begin && beginsGame(head) {
			return
		}
		line, err := d.src.ReadSlice('\n')
		d.raw = append(d.raw, line...)
		d.inTags = isTag || d.inTags && len(bytes.TrimSpace(line)) == 0
		if err != nil && err != bufio.ErrBufferFull {
			d.err = err
			return
		}
	}
}

// byteOrderMark is UTF-8's. Files that were joined have it in their middle.
const byteOrderMark = "\xef\xbb\xbf"

// beginsGame reports whether a line begins with a tag that stands first in files.
func beginsGame(head []byte) bool {
	return bytes.HasPrefix(head, []byte("[Event ")) || bytes.HasPrefix(head, []byte("[Game "))
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// decode appends raw to b in UTF-8, with U+FFFD for what is not valid, and returns the
// beginning of a character at the end of raw unless it is the final block.
func decode(b, raw []byte, e Encoding, final bool) (text, rest []byte) {
	t := tables[e].NewDecoder()
	for {
		if cap(b)-len(b) < len(raw)+utf8.UTFMax {
			b = append(make([]byte, 0, 2*cap(b)+2*len(raw)+utf8.UTFMax), b...)
		}
		n, used, err := t.Transform(b[len(b):cap(b)], raw, final)
		b, raw = b[:len(b)+n], raw[used:]
		if err != transform.ErrShortDst {
			return b, raw
		}
	}
}

// guess returns the encoding of a block that is not plain ASCII: UTF-8 where it is valid,
// else that in which the text looks most like a game of Xiangqi.
func guess(raw []byte, last Encoding, cut bool) Encoding {
	if validUTF8(raw, cut) {
		return UTF8
	}
	best, most := last, score(raw, last)
	for _, e := range [...]Encoding{UTF8, GB18030, Big5} {
		if n := score(raw, e); n > most {
			best, most = e, n
		}
	}
	return best
}

// validUTF8 is utf8.Valid, but lets the last character be cut off.
func validUTF8(raw []byte, cut bool) bool {
	if cut {
		for i := 1; i < utf8.UTFMax && i <= len(raw); i++ {
			if tail := raw[len(raw)-i:]; utf8.RuneStart(tail[0]) {
				if !utf8.FullRune(tail) {
					raw = raw[:len(raw)-i]
				}
				break
			}
		}
	}
	return utf8.Valid(raw)
}

// scoreSample is how much of a block is looked at.
const scoreSample = 16 << 10

// score says how much raw looks like Chinese text about Xiangqi when it is decoded so.
func score(raw []byte, e Encoding) int {
	text, _ := decode(nil, raw[:min(len(raw), scoreSample)], e, false)
	n := 0
	for _, r := range string(text) {
		switch {
		case r == utf8.RuneError:
			n -= 20
		case r < utf8.RuneSelf:
		case moveRunes[r]:
			n += 6
		case commonRunes[r]:
			n += 3
		case 0x3000 <= r && r < 0x3020 || 0xff00 <= r && r < 0xff60: // punctuation, full-width forms
			n++
		case 0x4e00 <= r && r < 0xa000:
		default:
			n -= 3 // other scripts, private use, extensions
		}
	}
	return n
}

func runeSet(text string) map[rune]bool {
	set := map[rune]bool{}
	for _, r := range text {
		set[r] = true
	}
	return set
}

// moveRunes are the characters of moves, commonRunes those of names of players, places and
// events and of comments, in both scripts.
var (
	moveRunes = runeSet("帅帥将將仕士相象马馬傌车車俥炮砲兵卒进進退平前后後中一二三四五六七八九１２３４５６７８９")
	// The most frequent characters of Chinese, then those of the game, provinces and surnames.
	commonRunes = runeSet(
		"的是不了在有人这這上大来來和我个個中地为為子时時要就说說会會出可也你对對生能而得里裡下自年过過发發作用道行所然家种種事成方多经經么去法学學如都同现現当當没沒动動面起看定天分还還好小部其些主样樣理心她本以到" +
			"第届屆回轮輪局盘盤棋红紅黑先后後胜勝负負和杯赛賽全国國团團体體个個甲级級联聯公开開邀请請大师師特冠军軍锦錦标標对對抗挑战戰世界亚亞洲职職业業运運动動会會电電视視快棋慢月日时時分男女子组組决決半预預选選" +
			"北京上海天津重庆慶广廣东東西南江苏蘇浙安徽福建台臺湾灣河湖四川贵貴州云雲陕陝甘肃肅青海黑龙龍吉林辽遼宁寧内內蒙古山新疆藏香港澳门門深圳厦廈杭火车車头頭煤矿礦邮郵电電农農市省队隊" +
			"王李张張刘劉陈陳杨楊赵趙黄黃周吴吳徐孙孫胡朱高林何郭马馬罗羅梁宋郑鄭谢謝韩韓唐冯馮于董萧蕭程曹袁邓鄧许許傅沈曾彭吕呂苏蘇卢盧蒋蔣蔡贾賈丁魏薛叶葉阎閻余潘杜戴夏钟鐘汪田任姜范方石姚谭譚廖邹鄒熊金陆陸郝孔白崔康毛邱秦史顾顧侯邵孟万萬段雷钱錢汤湯尹黎易常武乔喬贺賀赖賴龚龔文柳言陶银銀荣榮华華洪智明鸿鴻嘉川飞飛建国國强強军軍伟偉志永春生德海成光")
)
