// Package referee says who has won a game of Xiangqi and why, under named rule sets.
package referee
