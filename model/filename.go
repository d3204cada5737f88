package model

import "strings"

// MaxFileName bounds the part of a file's name that is made of other text, in
// bytes.
const MaxFileName = 60

// FileName is outside text as a part of a file's name: only ASCII letters and
// digits, ".", "_" and "-" stay, so that it can neither leave a directory nor
// stand for anything in a shell. It is cut at MaxFileName.
func FileName(raw string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("._-", r):
			return r
		default:
			return '_'
		}
	}, raw)
	return name[:min(len(name), MaxFileName)]
}
