// Package report tells what a fit has found: as plain text, and as one HTML page that
// needs no other file, with plots of the losses, of the calibration, of where the
// evaluation is wrong, and of what has changed on the board.
package report
