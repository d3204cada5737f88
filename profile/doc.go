// Package profile reads where a person's settings come from. For now that is
// the file config.toml with thresholds and the mute list.
package profile
