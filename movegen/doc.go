// Package movegen holds the position and the moves of Xiangqi.
package movegen
