package kafka

import (
	"context"

	"sharetop/model"
)

// Bounds of a backward peek.
const (
	// peekPasses is how often it may begin further back, or nearer.
	peekPasses = 24
	// peekStride is how many times as many offsets are looked at where the last
	// ones had no record, and how many times fewer where they had too many.
	peekStride = 8
)

// backwardPeek looks for the records just before an offset. A log can only be
// read forward, so it guesses where to begin.
type backwardPeek struct {
	*peek
	// below is the offset that is to be read up to: between it and the offset
	// that was asked for there are no records. gaps is what is there instead.
	below int64
	gaps  model.PeekGaps
	// span is how many offsets before below are read.
	span int64
	// floor is the offset of a record that is too far from below to read all that
	// is between; -1 while there is none known.
	floor int64
}

// backward reads the records just before an offset.
func (p *peek) backward(ctx context.Context, before int64) error {
	b := backwardPeek{peek: p, below: before, span: int64(p.req.Max), floor: -1}
	for range peekPasses {
		found, err := b.pass(ctx)
		if err != nil {
			return err
		}
		if found {
			p.out.Next = max(p.out.Next, before)
			p.out.Gaps = p.out.Gaps.Add(b.gaps)
			return nil
		}
	}
	p.out.Records, p.out.From, p.out.Next, p.out.Gaps = nil, b.below, before, b.gaps
	return nil
}

// pass begins once more, and tells whether that is the answer: it got to where
// it was to get to, and found records or came from the log's start.
func (b *backwardPeek) pass(ctx context.Context) (found bool, err error) {
	if err := b.forward(ctx, b.from(), b.req.Max, b.below); err != nil {
		return false, err
	}
	start, _ := b.out.LogStart.Get()
	n := len(b.out.Records)
	switch {
	case b.out.Next < b.below && !b.out.AtEnd(b.req.Committed) && b.span > 1:
		if n > 0 {
			b.floor = b.out.Records[n-1].Offset
		}
		b.span = max(1, b.span/peekStride)
		return false, nil
	case n == 0 && b.out.From > start:
		b.gaps = b.gaps.Add(b.out.Gaps)
		b.below, b.span = b.out.From, b.span*peekStride
		return false, nil
	}
	return true, nil
}

// from is where to begin: not before the log's start, nor at what was too far
// away before.
func (b *backwardPeek) from() int64 {
	from := max(0, b.below-b.span)
	if start, known := b.out.LogStart.Get(); known {
		from = max(from, min(start, b.below))
	}
	if b.floor >= 0 {
		from = max(from, (b.floor+b.below)/2)
	}
	return from
}
