package model

import "errors"

// ErrNoCluster is the cause when nothing says which cluster to connect to, but
// there are profiles on this machine: a person at a screen can choose one.
var ErrNoCluster = errors.New("no cluster was chosen")

// UnreachableError says that no broker could be asked for something, in the
// sentence of its cause.
type UnreachableError struct{ Err error }

// Error is the cause's sentence.
func (e *UnreachableError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *UnreachableError) Unwrap() error { return e.Err }

// ConnectRequest is what a person says about the cluster to connect to. All of
// it may be empty.
type ConnectRequest struct {
	// Flags are settings from flags of their own, by key.
	Flags []Override
	// Overrides are the arguments of -X, as KEY=VALUE.
	Overrides []string
	// CommandConfig is the path of a Java properties file.
	CommandConfig string
	// Context is the name of a profile, of config.toml or of another tool.
	Context string
	// ProfileOnly lets only the profile count: flags, -X, variables and
	// CommandConfig belong to another cluster then, and what they hold must not
	// reach this one. Read-only counts whoever asks for it.
	ProfileOnly bool
	// NoCluster says that no bootstrap server is needed, since the program
	// brings its own cluster.
	NoCluster bool
	// Ask reads a secret from the terminal without echo; nil where nobody can be
	// asked.
	Ask func(prompt string) (Secret, error)
}

// Override is one setting from a flag.
type Override struct {
	// Key is the setting, Flag the name of the flag with its dashes.
	Key, Value, Flag string
}

// Setting is one effective setting and where it comes from. Secrets are masked.
type Setting struct {
	Key, Value string
	// Source is a flag, a variable, or a file with its line; "default" where
	// nobody has set it, "asked" for what a person was asked for.
	Source string
	// Note says what sharetop does with it where that is not plain: that it is
	// ignored, or not known. Empty otherwise.
	Note string
}

// Resolved is a connection with the settings that made it.
type Resolved struct {
	Connection Connection
	// Settings are sorted by key.
	Settings []Setting
	// Warnings are sentences about what is unwise: readable secrets, secrets in
	// the arguments, half-understood files.
	Warnings []string
}
