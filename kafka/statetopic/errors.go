package statetopic

import "fmt"

// FormatError says that bytes are not what they should be: in which record, at
// which byte, and why.
type FormatError struct {
	// What names the record, e.g. "value of a share update".
	What string
	// At is the position of the first byte that does not fit.
	At int
	// Why is what is wrong there.
	Why string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("the %s is not readable: at byte %d, %s", e.What, e.At, e.Why)
}

// VersionError says that a record is of a kind that this program does not know:
// Kafka is newer than it.
type VersionError struct {
	// What is "key type" or the name of a value, e.g. "share update".
	What string
	// Version is the number that is not known.
	Version int16
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("%s %d is not known: this Kafka writes a newer format of the state topic", e.What, e.Version)
}
