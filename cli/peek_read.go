package cli

import (
	"context"

	"sharetop/model"
)

// peekReader reads records of partitions for a printout, as many as were asked
// for: one look ends early where records are large, or far apart. They are printed
// as they come, since all of them may be more than fits into memory.
type peekReader struct {
	peeker Peeker
	out    *printer
	// cells are those of a record.
	cells    func(*model.Record) []cell
	problems []model.Problem
}

// read prints the records that a request asks for, and returns what the first look
// found.
func (p *peekReader) read(ctx context.Context, req model.PeekRequest) (*model.PeekResult, error) {
	first, err := p.peeker.Peek(ctx, req)
	if err != nil {
		return nil, err
	}
	if req.Backward {
		return first, p.lastOnes(ctx, first, req)
	}
	return first, p.onwards(ctx, first, req)
}

// onwards prints what a look found, and goes on until there is enough or nothing
// is left.
func (p *peekReader) onwards(ctx context.Context, r *model.PeekResult, req model.PeekRequest) error {
	for left := req.Max; ; {
		if err := p.print(r); err != nil {
			return err
		}
		left -= len(r.Records)
		if left <= 0 || r.Next <= r.From || r.AtEnd(req.Committed) {
			return nil
		}
		var err error
		req.From, req.Offset, req.Max = model.PeekAtOffset, r.Next, left
		if r, err = p.peeker.Peek(ctx, req); err != nil {
			return err
		}
	}
}

// lastOnes prints the records before a place. Where one look does not find enough
// it only counts how far back they begin, and then reads them forward.
func (p *peekReader) lastOnes(ctx context.Context, r *model.PeekResult, req model.PeekRequest) error {
	first, found, at := r, len(r.Records), r
	for found < req.Max && at.Problem == nil && at.From > at.LogStart.Or(0) {
		before := at.From
		next := req
		next.From, next.Offset, next.Max = model.PeekAtOffset, before, req.Max-found
		var err error
		if at, err = p.peeker.Peek(ctx, next); err != nil {
			return err
		}
		if at.From >= before {
			break
		}
		found += len(at.Records)
	}
	if found == len(first.Records) {
		return p.print(first)
	}
	req.Backward, req.From, req.Offset, req.Max = false, model.PeekAtOffset, at.From, found
	again, err := p.peeker.Peek(ctx, req)
	if err != nil {
		return err
	}
	return p.onwards(ctx, again, req)
}

func (p *peekReader) print(r *model.PeekResult) error {
	p.problems = append(p.problems, problemsOf(r)...)
	for _, record := range r.Records {
		p.out.add(p.cells(record)...)
	}
	return p.out.stream()
}
