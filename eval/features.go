package eval

import (
	"fmt"

	"github.com/xqlab/xqlab/movegen"
)

// The features' places in the flat weight vector. Each group begins where the one before
// it ends; buildGroups describes them in the same order and a test holds both together.
// Tables by piece type have an entry for advisor to soldier.
const (
	tempo    = 0
	material = tempo + 1
	psqt     = material + pieceKinds

	mobilityRook     = psqt + 7*boardCells
	mobilityCannon   = mobilityRook + 18
	mobilityHorse    = mobilityCannon + 18
	mobilityElephant = mobilityHorse + 9

	rookOpen     = mobilityElephant + 5
	rookSemi     = rookOpen + 1
	rookAim      = rookSemi + 1
	cannonHollow = rookAim + 1       // by the enemy's advisors
	cannonAim    = cannonHollow + 3  // by the enemy's advisors
	cannonBottom = cannonAim + 3     // by the enemy's advisors and elephants
	horseOutpost = cannonBottom + 5  // 1: beyond the river, 2: defended there
	horseGuarded = horseOutpost + 2  // 1
	soldierJoin  = horseGuarded + 1  // beside another crossed one
	soldierChain = soldierJoin + 1   // defended by another soldier
	soldierStop  = soldierChain + 1  // uncrossed, an enemy piece before it
	soldierArmy  = soldierStop + 1   // crossed ones (to 3) by the enemy's advisors
	elephantLink = soldierArmy + 4*3 // elephants that defend each other
	advisorLink  = elephantLink + 1  // advisors that defend each other
	rooksAdvis   = advisorLink + 1   // enemy rooks by own advisors
	cannonsAdvis = rooksAdvis + 9    // enemy cannons by own advisors
	horsesEleph  = cannonsAdvis + 9  // enemy horses by own elephants
	cannonsEleph = horsesEleph + 9   // enemy cannons by own elephants
	pairs        = cannonsEleph + 9  // products of own pieces: see pairKinds
	kingRook     = pairs + 9         // palace squares attacked by the enemy's rooks
	kingHorse    = kingRook + 7      // … horses
	kingCannon   = kingHorse + 7     // … cannons
	kingSoldier  = kingCannon + 7    // … soldiers
	kingAttack   = kingSoldier + 7   // enemy pieces that attack the palace, by own advisors and elephants
	checkRook    = kingAttack + 8*5  // squares from which rooks check unharmed
	checkHorse   = checkRook + 4     // … horses
	checkCannon  = checkHorse + 4    // … cannons
	kingSteps    = checkCannon + 4   // steps the king can take
	kingFile     = kingSteps + 5     // looks down its file to the other palace
	wing         = kingFile + 1      // rooks, horses, cannons beyond the river on one wing
	byGuard      = wing + 6          // enemy pieces attacked by advisors and elephants
	bySoldier    = byGuard + pieceKinds
	byMinor      = bySoldier + pieceKinds // by horses and cannons
	byRook       = byMinor + pieceKinds
	hanging      = byRook + pieceKinds    // attacked and undefended
	loose        = hanging + pieceKinds   // undefended
	pinRook      = loose + pieceKinds     // enemy pieces pinned by a rook
	pinCannon    = pinRook + pieceKinds   // … by a cannon
	horseScreen  = pinCannon + pieceKinds // a horse for a cannon to fire over: see screens

	rookFile    = horseScreen + 2 // squares of its file that a rook can go to
	turnGuard   = rookFile + 10
	turnSoldier = turnGuard + pieceKinds // byGuard to hanging once more, for the side to move
	turnMinor   = turnSoldier + pieceKinds
	turnRook    = turnMinor + pieceKinds
	turnHanging = turnRook + pieceKinds
	turnChecks  = turnHanging + pieceKinds // checks unharmed by rook, horse, cannon
	safeCannons = turnChecks + 3           // squares that cannons can go to and no enemy attacks
	safeHorses  = safeCannons + 1          // … horses

	// Features is the number of features, each with a middlegame and an endgame weight.
	Features = safeHorses + 1
)

// pieceKinds is the number of piece types but for the king.
const pieceKinds = int(movegen.PieceTypes) - int(movegen.Advisor)

// A piece-square board has a cell for each rank and for files a–e; files f–i are tied to
// d–a.
const (
	boardRanks = movegen.Ranks
	boardFiles = 5
	boardCells = boardRanks * boardFiles
)

// Shape is how a group of weights is laid out in a file.
type Shape uint8

// The shapes.
const (
	Single Shape = iota // one weight
	Table               // weights by a count, or by rows and columns
	Board               // weights by square, files a–e tied to i–e, seen from the owner
)

// Group describes neighbouring features that belong together.
type Group struct {
	Name  string // as in the weights file: "psqt.horse"
	First int    // index of the first feature
	Size  int
	Shape Shape
	Doc   string // what it measures, and for a table by what
}

// groups lists all features in order.
var groups = buildGroups()

// Groups returns the description of all features in the order of the weight vector.
func Groups() []Group { return append([]Group(nil), groups...) }

// FeatureName returns the name of a feature as "group" or "group[i]", for a board
// "psqt.horse[c7]" with the square as the owner counts it.
func FeatureName(i int) string {
	for _, g := range groups {
		if i < g.First || i >= g.First+g.Size {
			continue
		}
		switch n := i - g.First; g.Shape {
		case Single:
			return g.Name
		case Board:
			return fmt.Sprintf("%s[%s]", g.Name, movegen.SquareAt(n%boardFiles, n/boardFiles))
		default:
			return fmt.Sprintf("%s[%d]", g.Name, n)
		}
	}
	return fmt.Sprintf("feature %d", i)
}

const byType = ", for advisor, elephant, horse, rook, cannon, soldier"

func buildGroups() []Group {
	list := []Group{{Name: "tempo", Doc: "the side to move"}}
	for t := movegen.Advisor; t < movegen.PieceTypes; t++ {
		list = append(list, Group{Name: "material." + t.String(), Doc: "one more " + t.String()})
	}
	for t := movegen.King; t < movegen.PieceTypes; t++ {
		list = append(list, Group{Name: "psqt." + t.String(), Size: boardCells, Shape: Board, Doc: "where the " + t.String() + " stands"})
	}
	list = append(list, []Group{
		{Name: "mobility.rook", Size: 18, Doc: "squares a rook can go to, not attacked by soldiers"},
		{Name: "mobility.cannon", Size: 18, Doc: "the same of a cannon"},
		{Name: "mobility.horse", Size: 9, Doc: "the same of a horse"},
		{Name: "mobility.elephant", Size: 5, Doc: "the same of an elephant"},
		{Name: "rook.open_file", Doc: "no soldier on the rook's file"},
		{Name: "rook.half_open_file", Doc: "no own soldier on it"},
		{Name: "rook.aim", Doc: "one piece between a rook and the enemy king"},
		{Name: "cannon.hollow", Size: 3, Doc: "nothing between a cannon and the enemy king, by the enemy's advisors"},
		{Name: "cannon.aim", Size: 3, Doc: "two pieces between a cannon and the enemy king, by the enemy's advisors"},
		{Name: "cannon.bottom", Size: 5, Doc: "a cannon on the last rank, by the enemy's advisors and elephants"},
		{Name: "horse.outpost", Size: 2, Doc: "a horse beyond the river that no soldier or elephant can reach; the same, defended"},
		{Name: "horse.guarded", Doc: "a horse defended by a horse, rook, cannon or soldier"},
		{Name: "soldier.joined", Doc: "a crossed soldier beside another"},
		{Name: "soldier.chain", Doc: "a soldier defended by a soldier from behind"},
		{Name: "soldier.stopped", Doc: "a soldier before the river with an enemy piece in front"},
		{Name: "soldier.army", Size: 12, Doc: "crossed soldiers (0–3) × 3 + the enemy's advisors"},
		{Name: "elephant.linked", Doc: "elephants defend each other"},
		{Name: "advisor.linked", Doc: "advisors defend each other"},
		{Name: "defence.rooks_advisors", Size: 9, Doc: "enemy rooks × 3 + own advisors"},
		{Name: "defence.cannons_advisors", Size: 9, Doc: "enemy cannons × 3 + own advisors"},
		{Name: "defence.horses_elephants", Size: 9, Doc: "enemy horses × 3 + own elephants"},
		{Name: "defence.cannons_elephants", Size: 9, Doc: "enemy cannons × 3 + own elephants"},
		{Name: "pairs", Size: 9, Doc: "products of own pieces: RR RN RC NN NC CC RP NP CP"},
		{Name: "king.rooks", Size: 7, Doc: "squares of the enemy palace that rooks attack"},
		{Name: "king.horses", Size: 7, Doc: "the same of horses"},
		{Name: "king.cannons", Size: 7, Doc: "the same of cannons"},
		{Name: "king.soldiers", Size: 7, Doc: "the same of soldiers"},
		{Name: "king.attackers", Size: 40, Doc: "rooks, horses, cannons and soldiers that attack the enemy palace × 5 + enemy advisors and elephants"},
		{Name: "king.rook_checks", Size: 4, Doc: "squares from which a rook can check and not be taken"},
		{Name: "king.horse_checks", Size: 4, Doc: "the same of a horse"},
		{Name: "king.cannon_checks", Size: 4, Doc: "the same of a cannon"},
		{Name: "king.steps", Size: 5, Doc: "free squares beside the own king that are not attacked"},
		{Name: "king.file", Doc: "the own king looks along an open file into the other palace"},
		{Name: "wing", Size: 6, Doc: "rooks, horses, cannons beyond the river on the fuller wing, files a–e or e–i"},
		{Name: "threat.by_guard", Size: pieceKinds, Doc: "enemy pieces attacked by an advisor, elephant or king" + byType},
		{Name: "threat.by_soldier", Size: pieceKinds, Doc: "enemy pieces attacked by a soldier" + byType},
		{Name: "threat.by_minor", Size: pieceKinds, Doc: "enemy pieces attacked by a horse or cannon" + byType},
		{Name: "threat.by_rook", Size: pieceKinds, Doc: "enemy pieces attacked by a rook" + byType},
		{Name: "threat.hanging", Size: pieceKinds, Doc: "enemy pieces attacked and not defended" + byType},
		{Name: "loose", Size: pieceKinds, Doc: "own pieces not defended" + byType},
		{Name: "pin.rook", Size: pieceKinds, Doc: "enemy pieces that alone stand between their king and a rook" + byType},
		{Name: "pin.cannon", Size: pieceKinds, Doc: "enemy pieces that are one of two between their king and a cannon" + byType},
		{Name: "cannon.horse_screen", Size: 2, Doc: "own horse in line with the enemy king, one free square between, with a cannon on the board; the same, a cannon can go behind it"},
		{Name: "mobility.rook_file", Size: 10, Doc: "squares of its file a rook can go to, not attacked by soldiers"},
		{Name: "turn.by_guard", Size: pieceKinds, Doc: "threat.by_guard for the side to move" + byType},
		{Name: "turn.by_soldier", Size: pieceKinds, Doc: "threat.by_soldier for the side to move" + byType},
		{Name: "turn.by_minor", Size: pieceKinds, Doc: "threat.by_minor for the side to move" + byType},
		{Name: "turn.by_rook", Size: pieceKinds, Doc: "threat.by_rook for the side to move" + byType},
		{Name: "turn.hanging", Size: pieceKinds, Doc: "threat.hanging for the side to move" + byType},
		{Name: "turn.checks", Size: 3, Doc: "the side to move has a square to check from and not be taken, with a rook, horse, cannon"},
		{Name: "safe.cannons", Doc: "squares that cannons can go to and no enemy attacks"},
		{Name: "safe.horses", Doc: "the same of horses"},
	}...)
	first := 0
	for i := range list {
		switch g := &list[i]; {
		case g.Size == 0:
			g.Size = 1
		case g.Shape == Single:
			g.Shape = Table
		}
		list[i].First = first
		first += list[i].Size
	}
	return list
}

// psqtIndex returns the feature of the piece's square.
func psqtIndex(pc movegen.Piece, s movegen.Square) int {
	if pc.Color() == movegen.Black {
		s = s.Flip()
	}
	return psqt + (int(pc.Type())-int(movegen.King))*boardCells + s.Rank()*boardFiles + min(s.File(), 8-s.File())
}

// kindIndex returns the place of a piece type, which is not the king, in a table by type.
func kindIndex(t movegen.PieceType) int { return int(t) - int(movegen.Advisor) }

// standable reports whether a game can bring a piece of the type to a board cell; other
// cells are written as zero and never counted.
func standable(t movegen.PieceType, cell int) bool {
	f, r := cell%boardFiles, cell/boardFiles
	switch t {
	case movegen.King:
		return f >= 3 && r <= 2
	case movegen.Advisor:
		return f >= 3 && r <= 2 && (f+r)%2 == 1
	case movegen.Elephant:
		return r <= 4 && r%2 == 0 && f%2 == 0 && (f+r)%4 == 2
	case movegen.Pawn:
		return r >= 5 || r >= 3 && f%2 == 0
	}
	return true
}
