package model

import "slices"

// Profile is a way to a cluster that was found on this machine, for a person to
// choose. Nothing in it is secret.
type Profile struct {
	// Name is what --context and :ctx take: the name in config.toml, or with the
	// tool's name and a colon before it that in another tool's file. Empty is the
	// cluster of the command line, where that is none of them.
	Name Text
	// Source is the file; Given is true where there is none: the cluster is that of
	// the command line, and Source says so.
	Source Text
	Given  bool
	// Bootstrap are the bootstrap servers, with commas; empty when not known.
	Bootstrap Text
	// Security is the security protocol with the SASL mechanism, Way the way to
	// the brokers where it is not direct.
	Security, Way Text
	// ReadOnly says that the profile itself asks for it.
	ReadOnly bool
	// Color is what its name is shown in; empty for none.
	Color ClusterColor
	// Problem says why it can't be used, in one sentence; empty when it can.
	Problem Text
	// Notes are sentences about what was not understood, or is unwise.
	Notes []Text
}

// ClusterColor is a colour that a person gives a cluster, so that it is not
// taken for another: one of the terminal's own.
type ClusterColor string

// The colours, by their names in config.toml.
const (
	ColorRed     ClusterColor = "red"
	ColorGreen   ClusterColor = "green"
	ColorYellow  ClusterColor = "yellow"
	ColorBlue    ClusterColor = "blue"
	ColorMagenta ClusterColor = "magenta"
	ColorCyan    ClusterColor = "cyan"
)

// ClusterColors are all of them.
func ClusterColors() []ClusterColor {
	return []ClusterColor{ColorRed, ColorGreen, ColorYellow, ColorBlue, ColorMagenta, ColorCyan}
}

// Known tells whether c is one of the colours.
func (c ClusterColor) Known() bool { return slices.Contains(ClusterColors(), c) }
