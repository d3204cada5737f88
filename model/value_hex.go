package model

import "fmt"

// Widths of a row of the hex view: an offset of eight digits, then for each
// byte three cells and one in the readable part.
const (
	hexOffset = 10
	hexByte   = 4
	hexGap    = 2
	hexMost   = 16
)

// hexPerRow is how many bytes a row has: a power of two up to 16.
func (v *ValueRows) hexPerRow() int {
	n := hexMost
	for n > 1 && hexOffset+n*hexByte+hexGap > v.width {
		n /= 2
	}
	return n
}

func (v *ValueRows) hexRows() int {
	per := v.hexPerRow()
	return (len(v.data) + per - 1) / per
}

func (v *ValueRows) hexWindow(from, to int) []string {
	per := v.hexPerRow()
	out := make([]string, 0, to-from)
	for i := from; i < to; i++ {
		out = append(out, hexRow(v.data[i*per:min(len(v.data), (i+1)*per)], i*per, per))
	}
	return out
}

// hexRow is "00000010  61 62 63     abc".
func hexRow(data []byte, offset, per int) string {
	row := fmt.Appendf(nil, "%08x ", offset)
	for i := range per {
		if i < len(data) {
			row = fmt.Appendf(row, " %02x", data[i])
		} else {
			row = append(row, "   "...)
		}
	}
	row = append(row, "  "...)
	for _, c := range data {
		if c < ' ' || c > '~' {
			c = '.'
		}
		row = append(row, c)
	}
	return string(row)
}
