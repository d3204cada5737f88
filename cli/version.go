package cli

import "runtime/debug"

// BuildVersion is the version that the Go tool wrote into the binary: the
// module's, else the commit it was built from, else "unknown". A build from a
// changed work tree says so.
func BuildVersion(info *debug.BuildInfo, ok bool) string {
	if !ok || info == nil {
		return "unknown"
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	version := info.Main.Version
	if version == "" || version == "(devel)" {
		version = "development"
	}
	commit := settings["vcs.revision"]
	if len(commit) > 12 {
		commit = commit[:12]
	}
	if commit != "" {
		version += " (" + commit
		if settings["vcs.modified"] == "true" {
			version += ", changed"
		}
		version += ")"
	}
	return version + " " + info.GoVersion
}
