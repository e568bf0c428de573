// Package search finds the best move of a Xiangqi position.
package search
