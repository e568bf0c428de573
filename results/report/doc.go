// Package report turns the rows of a run into what people read and paste: the final table
// of a match, the blocks of pull requests, rankings and crosstables, and the JSON object that
// scripts read.
//
// [Summarize] counts and computes, everything else prints a [Summary]. Which game counts is
// decided in one place, [Count]: per pair and leg the highest attempt that has a result, and for pairs only
// those whose two legs have one. Games not played count for nothing but the reasons' table.
//
// It reads rows only: no database, no files, no terminal.
package report
