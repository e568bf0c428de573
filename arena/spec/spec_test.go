package spec

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestSplitWords(t *testing.T) {
	for _, c := range []struct {
		text string
		want []Pair
	}{
		{"name=dev,cmd=./pf-dev,tc=10+0.1,option.Move Overhead=30",
			[]Pair{{"name", "dev"}, {"cmd", "./pf-dev"}, {"tc", "10+0.1"}, {"option.Move Overhead", "30"}}},
		{"cmd=/a,b/eng,name=x", []Pair{{"cmd", "/a,b/eng"}, {"name", "x"}}},
		{"cmd=/odd dir/eng,args=--x 'two words' --y=1", []Pair{{"cmd", "/odd dir/eng"}, {"args", "--x 'two words' --y=1"}}},
		{`option.Book=a\,name=b,name=c`, []Pair{{"option.Book", "a,name=b"}, {"name", "c"}}},
		{"option.Eval=x=y,hash=3", []Pair{{"option.Eval", "x=y"}, {"hash", "3"}}},
		{"st=1,plies=3", []Pair{{"st", "1"}, {"plies", "3"}}},
	} {
		got, err := SplitWords(c.text)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %v %v", c.text, got, err)
		}
	}
}

func TestErrorsNameTheNearestKey(t *testing.T) {
	for text, want := range map[string]string{
		"name=a,nods=5":     `"nodes"`,
		"cmd=x,Name=y":      `"name"`,
		"nmae=a":            `"name"`,
		"tc=":               "",
		"tc=abc":            "10+0.1",
		"nodes=0":           "20k",
		"ranks=2":           "auto, 0, 1",
		"proto=xboard":      "auto, uci, ucci, cyclone",
		"depth=1000":        "1 to 200",
		"threads=x":         "1 to 1024",
		"restart=sometimes": "on or off",
		"anchor=NaN":        "-10000",
		"timemargin=-3":     "0 to 60000",
		"name":              "key=value",
		"movetime=0":        "more than 0",
		"tc=0+1":            "more than 0",
		"tc=1:xx":           "seconds",
		"tc=1e300":          "day",
		"nodes=NaN":         "count",
		"tc=-1":             "seconds",
		"name=":             "missing",
	} {
		var m Match
		pairs, err := SplitWords(text)
		if err == nil {
			err = m.AddEngine(nil, pairs)
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want a line with %s", text, err, want)
		}
	}
}

func TestTimeControl(t *testing.T) {
	for text, want := range map[string]TimeControl{
		"10+0.1":      {0, 10 * time.Second, 100 * time.Millisecond},
		"40/1:30+0.6": {40, 90 * time.Second, 600 * time.Millisecond},
		"5":           {0, 5 * time.Second, 0},
		"1:00:00":     {0, time.Hour, 0},
		"0.25+0.005":  {0, 250 * time.Millisecond, 5 * time.Millisecond},
	} {
		got, err := ParseTimeControl(text)
		if err != nil || got != want {
			t.Errorf("%q: %v %v", text, got, err)
		}
		if again, err := ParseTimeControl(got.String()); err != nil || again != got {
			t.Errorf("%q prints as %q, which reads as %v %v", text, got, again, err)
		}
	}
}

const example = `
name = "night"
openings = "balanced"
games = 200
sprt = true
seed = 7
concurrency = 2

[each]
tc = "10+0.1"
hash = 64

[[engine]]
name = "dev"
cmd = "./pf-dev"
option = ["VariantPath=x", "Move Overhead=30"]

[[engine]]
name = "base"
nodes = "20k"
param = { lmr = 3 }
weights = "w.toml"
`

func TestTOML(t *testing.T) {
	m, err := ParseTOML("x.toml", []byte(example))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Complete(); err != nil {
		t.Fatal(err)
	}
	dev, base := m.Engines[0], m.Engines[1]
	if m.Pairs != 100 || !m.SPRTSet || m.Seed != 7 || dev.Hash != 64 || dev.Limits.Time != 10*time.Second ||
		!reflect.DeepEqual(dev.Options, []Option{{"VariantPath", "x"}, {"Move Overhead", "30"}}) ||
		base.Limits.Nodes != 20000 || base.Params[0] != (Option{"lmr", "3"}) {
		t.Errorf("%+v", m)
	}
	text, err := m.TOML()
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParseTOML("again", text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if _, err := again.Complete(); err != nil {
		t.Fatal(err)
	}
	text2, _ := again.TOML()
	if string(text) != string(text2) {
		t.Errorf("not canonical:\n%s\n%s", text, text2)
	}
}

func TestTOMLErrors(t *testing.T) {
	for text, want := range map[string]string{
		"name = 'x'\nrulez = 'axf'":                "x.toml:2: unknown key \"rulez\"",
		"[[engine]]\nnodes = 3\n[[engine]]\nnod=5": "x.toml:4: unknown key \"engine.nod\"",
		"name = ":                    "x.toml:1:",
		"games = 3":                  "even",
		"[[engine]]\ntc = 'x'":       "[[engine]] 1: tc=x",
		"[[engine]]\noption = 5":     "NAME=VALUE",
		"[[engine]]\noption = ['a']": "NAME=VALUE",
		"[each]\nconf = 'no/such'\n[[engine]]\nname = 'a'": "no/such",
		"[[engine]]\nconf = 'no/such'":                     "no/such",
	} {
		_, err := ParseTOML("x.toml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestConf(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dev.toml")
	if err := os.WriteFile(path, []byte("cmd = '/usr/bin/dev'\nnodes = 5\nhash = 8\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var m Match
	pairs, err := SplitWords("conf=" + path + ",hash=32")
	if err != nil {
		t.Fatal(err)
	}
	if err := m.AddEngine([]Pair{{"hash", "4"}, {"threads", "2"}}, pairs); err != nil {
		t.Fatal(err)
	}
	if e := m.Engines[0]; e.Cmd != "/usr/bin/dev" || e.Hash != 32 || e.Threads != 2 || e.Limits.Nodes != 5 {
		t.Errorf("%+v", e)
	}
}

func TestComplete(t *testing.T) {
	add := func(specs ...string) *Match {
		var m Match
		for _, s := range specs {
			pairs, err := SplitWords(s)
			if err == nil {
				err = m.AddEngine(nil, pairs)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		return &m
	}
	m := add("cmd=./a/eng", "cmd=./b/eng", "nodes=3")
	if _, err := m.Complete(); err != nil {
		t.Fatal(err)
	}
	if m.Engines[0].Name != "eng" || m.Engines[1].Name != "eng_2" || m.Engines[2].Name != "built-in" {
		t.Errorf("names %s %s %s", m.Engines[0].Name, m.Engines[1].Name, m.Engines[2].Name)
	}
	if m.Engines[0].Limits.Time != 10*time.Second || m.Engines[2].Limits.Timed() {
		t.Error("external engines without a limit play 10+0.1, the limited one keeps its own")
	}
	m = add("name=a", "name=b")
	if _, err := m.Complete(); err != nil || m.Engines[0].Limits.Nodes != DefaultNodes || m.Pairs != DefaultPairs {
		t.Errorf("built-in engines play with %d nodes (%v)", m.Engines[0].Limits.Nodes, err)
	}
	for want, m := range map[string]*Match{
		"two or more":         add("name=a"),
		"one of them":         add("name=a,tc=1,movetime=1", "name=b"),
		"built-in engine":     add("name=a,cmd=x,weights=y", "name=b"),
		"external engine":     add("name=a,args=y", "name=b"),
		"sprt compares two":   {SPRTSet: true, Engines: make([]Engine, 3)},
		"roundrobin, gauntle": {Event: "swiss", Engines: make([]Engine, 3)},
	} {
		if _, err := m.Complete(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func FuzzTOML(f *testing.F) {
	f.Add(example)
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "conf") {
			t.Skip("a conf file is read from the disk")
		}
		m, err := ParseTOML("fuzz", []byte(text))
		if err != nil {
			return
		}
		if _, err := m.Complete(); err != nil {
			return
		}
		canonical, err := m.TOML()
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseTOML("again", canonical)
		if err != nil {
			t.Fatalf("%v in %s", err, canonical)
		}
		if _, err := again.Complete(); err != nil {
			t.Fatal(err)
		}
		if text2, _ := again.TOML(); string(text2) != string(canonical) {
			t.Fatalf("not canonical:\n%s\n%s", canonical, text2)
		}
	})
}

func FuzzSplitWords(f *testing.F) {
	f.Add("name=dev,cmd=/a,b/eng,option.Move Overhead=30")
	f.Fuzz(func(t *testing.T, text string) {
		pairs, err := SplitWords(text)
		if err != nil {
			return
		}
		var m Match
		for _, p := range pairs {
			if p.Key == "conf" {
				t.Skip("a conf file is read from the disk")
			}
		}
		_ = m.AddEngine(nil, pairs)
	})
}
