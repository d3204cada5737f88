package model

// Strip divides the offsets from first to last, both included, into at most
// that many cells of equal width and returns one batch per cell: its offsets,
// with the worst state and count among them. Fewer cells come back when there
// are fewer offsets; the last cell may be shorter.
func Strip(s *PartitionState, first, last int64, cells int) []StateBatch {
	if cells <= 0 || last < first {
		return nil
	}
	width := (last-first)/int64(cells) + 1
	strip := make([]StateBatch, 0, cells)
	for run := range s.Range(first, last) {
		strip = addToStrip(strip, run, first, last, width)
	}
	return strip
}

// addToStrip puts a run into the cells that it reaches into. Runs come in
// ascending order, so only the last cell can have something in it already.
func addToStrip(strip []StateBatch, run StateBatch, first, last, width int64) []StateBatch {
	for at := run.First; at <= run.Last; {
		cell := (at - first) / width
		from := first + cell*width
		to := last
		if last-from >= width {
			to = from + width - 1
		}
		here := StateBatch{First: from, Last: to, State: run.State, Count: run.Count}
		if int64(len(strip)) == cell {
			strip = append(strip, here)
		} else if worse(run, strip[cell]) {
			strip[cell] = here
		}
		if to == last {
			break
		}
		at = to + 1
	}
	return strip
}

// worse orders states by how much they deserve a look: given up, given back
// (more often is worse), open, done.
func worse(a, b StateBatch) bool {
	if ra, rb := badness(a.State), badness(b.State); ra != rb {
		return ra > rb
	}
	return a.Count > b.Count
}

func badness(s RecordState) int {
	switch s {
	case RecordArchived:
		return 7
	case RecordArchiving:
		return 6
	case RecordReleased:
		return 5
	case RecordOther, RecordAcquired:
		return 4
	case RecordNew:
		return 3
	case RecordFinished:
		return 2
	case RecordBelowStart:
		return 1
	default:
		return 0
	}
}
