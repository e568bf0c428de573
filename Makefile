# xqlab: build, play, test. `make help` lists the targets.
SHELL := /bin/bash
.DEFAULT_GOAL := build

# GOAMD64=v3 (AVX2, BMI2 …) only where the processor has it; make GOAMD64=v1 overrides.
ifeq ($(shell go env GOARCH),amd64)
V3_FLAGS := avx2 bmi1 bmi2 fma movbe f16c abm
GOAMD64 ?= $(shell for f in $(V3_FLAGS); do grep -qw $$f /proc/cpuinfo 2>/dev/null || { echo v1; exit; }; done; echo v3)
export GOAMD64
endif

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -X main.version=$(VERSION)
BUILD   := go build -ldflags '$(LDFLAGS)'

.PHONY: help
help: ## list the targets
	@awk -F':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-20s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## build ./xqlab for this machine
	@command -v go >/dev/null || { echo "xqlab needs Go 1.26 or newer: https://go.dev/dl/"; exit 1; }
	@command -v cc >/dev/null || command -v gcc >/dev/null || { echo "xqlab needs a C compiler for SQLite (Debian: apt-get install gcc; macOS: xcode-select --install)"; exit 1; }
	@[ -x xqlab ] || echo "building xqlab ($(or $(GOAMD64),$(shell go env GOARCH))); the first time SQLite is compiled too, which takes a few minutes"
	@$(BUILD) -o xqlab ./cmd/xqlab

.PHONY: arena
arena: build ## build, then play a match of 100 games between two built-in configurations
	./xqlab arena

# The profile is for the program alone: with it go test and go vet would compile SQLite once more.
.PHONY: test
test: vet ## every test, those of what is concurrent with the race detector too
	go test -pgo=off -timeout 20m ./...
	go test -pgo=off -timeout 20m -race -short $(RACE)

RACE := ./movegen/... ./eval/... ./search/... ./arena/... ./results/... ./tuner/... ./cmd/...

.PHONY: vet
vet: ## formatting and go vet
	@out=$$(gofmt -l $$(git ls-files '*.go' 2>/dev/null)); [ -z "$$out" ] || { echo "not gofmt-clean: $$out"; exit 1; }
	go vet -pgo=off ./...

.PHONY: lint
lint: vet ## staticcheck
	go run honnef.co/go/tools/cmd/staticcheck@v0.7.0 ./...

.PHONY: pgo
pgo: ## take the profile anew by which the compiler optimises the search: cmd/xqlab/default.pgo
	go test -run '^$$' -bench Suite -benchtime 10x -cpuprofile cmd/xqlab/default.pgo -o /dev/null ./search

DIST := linux/amd64/v1 linux/amd64/v3 linux/arm64 windows/amd64/v1 windows/amd64/v3 windows/arm64 darwin/amd64/v1 darwin/amd64/v3 darwin/arm64

.PHONY: dist
dist: ## cross-compile for linux, windows and macOS without cgo (perft, bench, judge, convert, stats, eval, uci)
	@mkdir -p dist
	@for t in $(DIST); do IFS=/ read -r os arch level <<<"$$t"; \
	  out=dist/xqlab-$$os-$$arch$${level:+-$$level}; [ $$os = windows ] && out=$$out.exe; \
	  echo $$out; CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch GOAMD64=$${level:-v1} $(BUILD) -o $$out ./cmd/xqlab || exit 1; done

BOOKS := arena/openings/books
.PHONY: books
books: build ## make the embedded books anew, some minutes each; what was interrupted goes on
	@mkdir -p .cache
	[ -e .cache/balanced.epd.gz ] || ./xqlab book make .cache/balanced.epd.gz --number 10000 --plies 4..10 --eval=-50..50 --nodes 10k --seed 1
	[ -e .cache/unbalanced.epd.gz ] || ./xqlab book make .cache/unbalanced.epd.gz --number 10000 --plies 4..10 --eval=100..250 --nodes 10k --seed 2
	mv .cache/balanced.epd.gz .cache/unbalanced.epd.gz $(BOOKS)
	$(BUILD) -o xqlab ./cmd/xqlab
	./xqlab book check balanced --eval=-50..50 && ./xqlab book check unbalanced --eval=100..250

.PHONY: clean
clean: ## remove what was built
	rm -rf xqlab dist

# Speeds. None of them is a test: they print ratios of medians measured in turn, or figures of this machine.
.PHONY: bench-movegen
bench-movegen: ## generation, make and unmake, attack queries, perft, with allocations
	go test -run '^$$' -bench . ./movegen

.PHONY: bench-compare
bench-compare: ## two versions in turn by benchstat: REF=COMMIT [PKG=./movegen]
	.ci/bench-compare $(REF) $(or $(PKG),./movegen)

.PHONY: bench-perft-vs
bench-perft-vs: ## perft over eight positions against a Pikafish-HCE binary built elsewhere: PIKAFISH=PATH
	go test -count=1 -timeout 30m -run TestPeer -v ./movegen -args -pikafish=$(abspath $(PIKAFISH))

.PHONY: check-movegen
check-movegen: ## the two-ply count against plain counting at every node, millions of positions against the plain generator
	go test -count=1 -tags checkpairs ./movegen
	go test -count=1 -timeout 60m -run Random -v ./movegen -args -positions=$(or $(POSITIONS),2000000)

.PHONY: bench-smp
bench-smp: ## how much sooner two threads than one reach the suite's depth, in turn; medians
	go test -run '^$$' -bench Threads -benchtime 7x ./search

.PHONY: bench-referee
bench-referee: ## 10,000 judgements of cycles of 12 plies; a judge's cost at a node of a search
	go test -run xxx -bench . ./movegen/referee

.PHONY: bench-records
bench-records: ## reading and writing game files; import into the database
	go test -run xxx -bench 'Read|Write' ./movegen/pgn
	go test -run xxx -bench 'Import|Put|Games|Positions|Verify|Encode|Decode' ./results

.PHONY: bench-harness
bench-harness: ## µs of processor time a ply for everything but the search: in-process play at one node a move, stored
	go test -run xxx -bench Harness -benchtime 4x -count 3 ./arena

.PHONY: bench-pipes
bench-pipes: ## plies/s through pipes, bound or not, at 1 and 2 games or CONCURRENCY=N, against c-chess-cli if CCHESS=FOLDER has it and its test/engine built
	CCHESS=$(CCHESS) go test -tags bench -count=1 -run TestPipes -v ./arena/engine

.PHONY: bench-tuner
bench-tuner: ## self-play at 400 nodes a move, extraction, and a gradient pass, in turn with texel-tuner's if TEXEL=FOLDER has its sources (g++ 13)
	go test -run xxx -bench SelfPlay -benchtime 50x ./arena
	go test -run xxx -bench Extract -benchtime 5x ./tuner
	go test -count=1 -timeout 30m -run TestSpeed -v ./tuner -args -speed $(if $(TEXEL),-texel $(abspath $(TEXEL)))

.PHONY: bench-tuner-large
bench-tuner-large: ## a fit to POSITIONS (100 million) synthetic positions: time and memory; needs 12 GB of TMPDIR, an hour
	nice -n 19 go test -count=1 -timeout 12h -run TestLarge -v ./tuner -args -large -positions $(or $(POSITIONS),100000000)

.PHONY: bench-told-apart
bench-told-apart: ## bench --against must tell a build 3 % slower in 18 of 20 tries, the same build in at most 3: TRIES= FOR= (1m)
	.ci/bench-told-apart $(or $(TRIES),20) $(or $(FOR),1m)

.PHONY: sim
sim: ## 1,000 simulated SPRTs at each bound: at most 6.5 % wrong on either side
	go test -count=1 -timeout 30m -run SimulatedSPRTs -v ./results/stats -args -simulations 1000

# Wins and draws are adjudicated as search's doc says of its table.
STRENGTH := ./xqlab arena --db strength.db --resign movecount=3,score=1200 --draw movenumber=50,movecount=8,score=20

.PHONY: strength
strength: build ## the built-in engine at 5+0.05 against Fairy-Stockfish (400 games) and PEER=PATH (200), two threads against one (200), 1,000 games at 1+0.01: three hours, goes on when stopped
	$(STRENGTH) --name fairy --engine name=xqlab --engine name=fairy,cmd=/usr/games/fairy-stockfish --each tc=5+0.05 --games 400
	[ -z "$(PEER)" ] || $(STRENGTH) --name peer --engine name=xqlab --engine name=peer,cmd=$(abspath $(PEER)) --each tc=5+0.05 --games 200
	$(STRENGTH) --name threads --engine name=two,threads=2 --engine name=one --each tc=5+0.05 --games 200 --concurrency 1
	$(STRENGTH) --name late --engine name=a --engine name=b --each tc=1+0.01 --games 1000

FUZZTIME ?= 10m
FUZZERS := movegen:FuzzPairs movegen:FuzzFEN movegen:FuzzAgainstPlain movegen/notation:FuzzFind movegen/pgn:FuzzReader movegen/pgn:FuzzSource movegen/pgn:FuzzFormats movegen/pgn:FuzzEval arena/openings:FuzzBook \
  arena/openings:FuzzParseSpec arena/spec:FuzzTOML arena/spec:FuzzSplitWords movegen/referee:FuzzGame movegen/referee:FuzzBatch results/stats:FuzzParseSPRT results:FuzzDecodePlies arena/engine:FuzzInfo arena/engine:FuzzGreeting \
  eval:FuzzParse search/uci:FuzzRun tuner:FuzzFeatureLine

.PHONY: fuzz
fuzz: ## every fuzzer for FUZZTIME (10m) each
	@for f in $(FUZZERS); do echo $$f; go test -run xxx -fuzz "$${f#*:}$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 5s ./$${f%:*} || exit 1; done

.PHONY: kill
kill: ## matches and tournaments killed with -9 at 50 random instants (KILLS=50): the outcome must be that of the undisturbed ones
	go test -count=1 -timeout 60m -run TestKilledAndResumed -v ./cmd/xqlab -args -kills $(or $(KILLS),50)

.PHONY: soak
soak: ## 2,000 games of five engines, three of which misbehave
	go test -count=1 -timeout 60m -run TestBadEnginesStopNothing -v ./cmd/xqlab -args -soak-pairs 100
