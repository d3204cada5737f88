package profile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/BurntSushi/toml"

	"sharetop/model"
)

// Bounds of config.toml; a file beyond them is refused.
const (
	// maxFileSize is in bytes.
	maxFileSize = 1 << 20
	// maxMutes is how many entries the mute list may have.
	maxMutes = 1000
)

// LoadRules reads thresholds and mute list from a config.toml. No path and no
// such file mean the defaults. The error is one sentence that names the file,
// the line and the key.
func LoadRules(file string) (model.Rules, error) {
	if file == "" {
		return model.Rules{}, nil
	}
	text, err := readBounded(file)
	if errors.Is(err, fs.ErrNotExist) {
		return model.Rules{}, nil
	}
	if err != nil {
		return model.Rules{}, err
	}
	return parseRules(file, text)
}

// readBounded reads a file of at most maxFileSize.
func readBounded(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", fmt.Errorf("the settings cannot be read: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFileSize+1))
	if err != nil {
		return "", fmt.Errorf("the settings in %s cannot be read: %w", file, err)
	}
	if len(text) > maxFileSize {
		return "", fmt.Errorf("%s is larger than %s: it cannot be the settings of sharetop",
			file, model.FormatSize(maxFileSize))
	}
	return string(text), nil
}

// parseRules reads the text of a config.toml.
func parseRules(file, text string) (model.Rules, error) {
	tree, err := parseTOML(file, text)
	if err != nil {
		return model.Rules{}, err
	}
	r := reader{file: file, lines: newLineIndex(text)}
	r.root(tree)
	return r.rules, r.err
}

// parseTOML reads a text as TOML. The error names the line, and never what
// stands in it, which may be a secret.
func parseTOML(file, text string) (map[string]any, error) {
	var tree map[string]any
	_, err := toml.Decode(text, &tree)
	if wrong, ok := errors.AsType[toml.ParseError](err); ok {
		return nil, fmt.Errorf("%s:%d: %s", file, wrong.Position.Line, withoutQuotes(wrong.Message))
	}
	if err != nil {
		return nil, fmt.Errorf("%s is not TOML", file)
	}
	return tree, nil
}

// withoutQuotes cuts a parser's sentence before it quotes the text.
func withoutQuotes(sentence string) string {
	if at := strings.IndexAny(sentence, "\"'`"); at >= 0 {
		return strings.TrimSpace(sentence[:at]) + " …"
	}
	return sentence
}

// reader turns the tree of a file into rules; it keeps the first error.
type reader struct {
	file  string
	lines lineIndex
	rules model.Rules
	err   error
}

// fail notes an error about a key, of the n-th entry of a list where there is
// one (-1 where not).
func (r *reader) fail(list string, n int, key, format string, args ...any) {
	if r.err != nil {
		return
	}
	name := key
	if list != "" {
		name = list + "." + key
	}
	r.err = fmt.Errorf("%s:%d: %s %s", r.file, r.lines.of(list, n, key), name, fmt.Sprintf(format, args...))
}

func (r *reader) root(tree map[string]any) {
	for _, key := range sortedKeys(tree) {
		switch key {
		case "min_lag":
			n, ok := tree[key].(int64)
			if !ok || n < 0 {
				r.fail("", -1, key, "must be a whole number from 0: a lag below it is nothing to worry about")
				continue
			}
			r.rules.MinLag = n
		case "mute":
			r.mutes(tree[key])
		case "state_topic_memory", "state_topic_load", "state_topic_rate":
			r.budget(key, tree[key])
		case "read_only":
			if _, ok := tree[key].(bool); !ok {
				r.fail("", -1, key, "must be true or false: whether every cluster is read-only")
			}
		case "default_profile":
			if _, ok := tree[key].(string); !ok {
				r.fail("", -1, key, "must be the name of a profile")
			}
		case "profiles":
			// Resolve reads them: one with a mistake does not stop the others.
		default:
			r.fail("", -1, key, "is not a setting: there are min_lag, [[mute]], read_only, state_topic_memory, state_topic_load, state_topic_rate, default_profile and [profiles.NAME]")
		}
	}
}

// budget reads what the state topic may take.
func (r *reader) budget(key string, value any) {
	text, ok := value.(string)
	if !ok {
		text = fmt.Sprint(value)
	}
	set := map[string]func(string) error{
		"state_topic_memory": r.rules.StateBudget.SetMemory, "state_topic_load": r.rules.StateBudget.SetLoad,
		"state_topic_rate": r.rules.StateBudget.SetRate,
	}
	if err := set[key](text); err != nil {
		r.fail("", -1, key, "%s", err)
	}
}

// mutes reads the list of [[mute]] tables.
func (r *reader) mutes(value any) {
	entries, ok := value.([]map[string]any)
	switch {
	case !ok:
		r.fail("", -1, "mute", "must be a list of tables: begin each with [[mute]]")
		return
	case len(entries) > maxMutes:
		r.fail("", -1, "mute", "has %d entries: at most %d are allowed", len(entries), maxMutes)
		return
	}
	for n, entry := range entries {
		r.rules.Mute = append(r.rules.Mute, r.mute(n, entry))
	}
}

// mute reads one [[mute]] table.
func (r *reader) mute(n int, entry map[string]any) model.Mute {
	var m model.Mute
	if len(entry) == 0 {
		r.fail("mute", n, "group", `or finding is needed: to mute everything write group = "*"`)
	}
	for _, key := range sortedKeys(entry) {
		text, ok := entry[key].(string)
		switch {
		case key != "group" && key != "finding":
			r.fail("mute", n, key, "is not a setting: there are group and finding")
		case !ok || text == "":
			r.fail("mute", n, key, "must be a text, and not an empty one")
		case key == "group":
			m.Group = text
			if _, err := path.Match(text, ""); err != nil {
				r.fail("mute", n, key, "%q is not a pattern: use * and ?, and put \\ before [ in a name", text)
			}
		default:
			m.Finding = model.Finding(text)
			if !slices.Contains(model.AllFindings(), m.Finding) {
				r.fail("mute", n, key, "%q is not a finding: there are e.g. %s and %s",
					text, model.FindingNobody, model.FindingBehind)
			}
		}
	}
	return m
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
