package arena

import (
	"testing"
	"time"
)

func TestScaledLimits(t *testing.T) {
	l := Limits{Time: 10 * time.Second, Inc: 100 * time.Millisecond, MovesTo: 40, Nodes: 7, Depth: 3, Margin: 50 * time.Millisecond}
	want := Limits{Time: 15 * time.Second, Inc: 150 * time.Millisecond, MovesTo: 40, Nodes: 7, Depth: 3, Margin: 50 * time.Millisecond}
	if got := l.Scaled(1.5); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := (Limits{MoveTime: time.Microsecond}).Scaled(0.02); got.MoveTime != time.Microsecond {
		t.Errorf("a move time of %v is none", got.MoveTime)
	}
	if got := l.Scaled(1); got != l {
		t.Errorf("times 1: %+v", got)
	}
}
