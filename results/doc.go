// Package results keeps what has been played, tuned and measured: the records and the
// SQLite database that holds them.
//
// Games are stored, never positions: one row that standings and lists are computed from,
// and one blob with the move, score, depth, nodes and times of each ply (AppendPlies),
// which is replayed when positions are wanted. A run holds all that is needed to repeat
// it: the verbatim configuration, seed, rules, and engines by hash.
//
// One goroutine writes, over one connection; calls of Put that wait while a transaction is
// committed share the next one, and Put returns only when its game is safe from the death
// of the process. In
// WAL mode with synchronous=NORMAL a loss of power may take the last games back, which a
// resume then plays again; the creation and the end of a run are synchronised fully.
// Readers have their own connections and read in short transactions.
//
// A run has one owner, the process with its Lease; everything that writes to a run looks
// for the lease in the same transaction. Inserts are idempotent on (run, pair, leg,
// attempt). Other processes leave commands for the owner (Tell), who takes each once
// (Commands), and read the progress it publishes beside its lease (Owner). Runs that wait
// stand in a queue, from which a process claims the next one for as long as it lives
// (NextQueued). Neither plays anything: what a command or a queued configuration means is
// for the package that runs it.
//
// Games of people and other engines are stored by Import with the tags of their file, each
// once by its start and moves; comments and variations are not kept.
//
// The schema is schema/*.sql, a file a version; an older database is brought up to date
// when it is opened for writing, a newer one refused. In a build without cgo there is no
// SQLite: everything compiles, and Open says so.
package results
