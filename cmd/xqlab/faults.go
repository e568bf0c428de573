package main

// maxFaults is how many faults of files are told one by one: of rubbish every line is one.
const maxFaults = 20

// faults tells the first faults, and counts all.
type faults struct {
	con *console
	n   int
}

// tell tells a fault.
func (f *faults) tell(err error) {
	if f.n++; f.n <= maxFaults {
		f.con.notef("xqlab: %s", oneLine(err))
	}
}

// end says how many were not told.
func (f *faults) end() {
	if more := f.n - maxFaults; more > 0 {
		f.con.notef("xqlab: … and %d more", more)
	}
}
