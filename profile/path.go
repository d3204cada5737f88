package profile

import "path/filepath"

// ConfigPath is where config.toml is looked for: $XDG_CONFIG_HOME/sharetop,
// else ~/.config/sharetop, else %APPDATA%\sharetop on Windows. It is empty when
// none of these variables is set.
func ConfigPath(getenv func(string) string) string {
	// XDG says that a relative path is to be ignored.
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "sharetop", "config.toml")
	}
	if home := getenv("HOME"); home != "" {
		return filepath.Join(home, ".config", "sharetop", "config.toml")
	}
	if data := getenv("APPDATA"); data != "" {
		return filepath.Join(data, "sharetop", "config.toml")
	}
	return ""
}
