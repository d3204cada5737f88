package cli

import (
	"errors"
	"fmt"

	"sharetop/model"
)

// Exit codes; docs/output.md tells people the same.
const (
	// ExitOK: it was done, all was seen, or the screen was left.
	ExitOK = 0
	// ExitFailure: bad flags, no such group, or something that should not happen.
	ExitFailure = 1
	// ExitUnreachable: no broker could be reached, or none let us in.
	ExitUnreachable = 2
	// ExitPartial: something was seen or done, and something was not.
	ExitPartial = 3
	// ExitTimeout: the time was over before what was waited for came.
	ExitTimeout = 4
	// ExitRefused: it was not tried, since it may not be: the connection is
	// read-only, the group has members, or a plan no longer holds.
	ExitRefused = 5
	// ExitInterrupted: ended by a signal.
	ExitInterrupted = 130
	// ExitPipe: nobody reads the output any more, as with head; what a shell
	// says of a program that SIGPIPE ended.
	ExitPipe = 141
)

// ExitError is an error with its own exit code.
type ExitError struct {
	Code int
	// Err is one sentence for stderr; nil to say nothing.
	Err error
}

// Error is the sentence.
func (e *ExitError) Error() string {
	if e.Err == nil {
		return ""
	}
	return e.Err.Error()
}

// Unwrap gives the cause.
func (e *ExitError) Unwrap() error { return e.Err }

// exit is an ExitError with a sentence.
func exit(code int, sentence string) error { return &ExitError{Code: code, Err: errors.New(sentence)} }

// report says what went wrong, and turns it into an exit code.
func report(env Env, err error) int {
	if err == nil {
		return ExitOK
	}
	code := ExitFailure
	if _, ok := errors.AsType[*model.UnreachableError](err); ok {
		code = ExitUnreachable
	}
	if exit, ok := errors.AsType[*ExitError](err); ok {
		code = exit.Code
	}
	if text := err.Error(); text != "" {
		fmt.Fprintf(env.Stderr, "sharetop: %s\n", model.Sanitize(text))
	}
	return code
}
