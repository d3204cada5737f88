package model

// Strip divides the offsets from first to last, both included, into at most
// that many cells of equal width and returns one batch per cell: its offsets,
// with the worst state and count among them. Fewer cells come back when there
// are fewer offsets; the last cell may be shorter.
func Strip(s *PartitionState, first, last int64, cells int) []StateBatch {
	if cells <= 0 || last < first {
		return nil
	}
	return StripOf(s, first, last, (last-first)/int64(cells)+1)
}

// StripOf is Strip with cells that are width offsets wide.
func StripOf(s *PartitionState, first, last, width int64) []StateBatch {
	if width <= 0 || last < first {
		return nil
	}
	strip := make([]StateBatch, 0, min((last-first)/width+1, maxStripReserve))
	for run := range s.Range(first, last) {
		strip = addToStrip(strip, run, last, width)
	}
	return strip
}

// maxStripReserve bounds what is set aside for cells before they are made: more
// than a screen has.
const maxStripReserve = 1 << 13

// addToStrip puts a run into the cells that it reaches into. Runs come in
// ascending order and leave nothing out, so it begins in the last cell or right
// behind it.
func addToStrip(strip []StateBatch, run StateBatch, last, width int64) []StateBatch {
	for at := run.First; ; {
		if n := len(strip); n > 0 && at <= strip[n-1].Last {
			if cell := &strip[n-1]; worse(run, *cell) {
				cell.State, cell.Count = run.State, run.Count
			}
		} else {
			to := last
			if last-at >= width {
				to = at + width - 1
			}
			strip = append(strip, StateBatch{First: at, Last: to, State: run.State, Count: run.Count})
		}
		end := strip[len(strip)-1].Last
		if run.Last <= end {
			return strip
		}
		at = end + 1
	}
}

// worse orders states by how much they deserve a look: given up, given back
// (more often is worse), open, done.
func worse(a, b StateBatch) bool {
	if ra, rb := badness(a.State), badness(b.State); ra != rb {
		return ra > rb
	}
	return a.Count > b.Count
}

func badness(s RecordState) uint8 {
	by := [...]uint8{
		RecordBelowStart: 1, RecordFinished: 2, RecordNew: 3, RecordOther: 4, RecordAcquired: 4,
		RecordReleased: 5, RecordArchiving: 6, RecordArchived: 7,
	}
	if int(s) < len(by) {
		return by[s]
	}
	return 0
}
