// Package spec reads what a user says about a match: engines as words of the command
// line (name=dev,cmd=./dev,tc=10+0.1) or tables of a TOML file, limits, numbers with
// units, and the whole experiment.
//
// Every way in ends in the same plain structs, and every struct has one canonical text
// form (TOML), which is what a run stores and what two runs are compared by. The package
// starts nothing and opens no files but an engine's conf file: it only reads and checks.
package spec
