package profile

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"gopkg.in/yaml.v3"
)

// decodeYAML reads a tool's file as far as it is understood. The notes name, by
// line, what is not; an error means that nothing is. Neither has any text of
// the file but names of keys: its lines can hold secrets.
func decodeYAML(text string, into any) (notes []string, err error) {
	decoder := yaml.NewDecoder(strings.NewReader(text))
	decoder.KnownFields(true)
	err = decoder.Decode(into)
	if errors.Is(err, io.EOF) {
		return nil, nil // an empty file
	}
	if partly, ok := errors.AsType[*yaml.TypeError](err); ok {
		return yamlNotes(partly.Errors), nil
	}
	return nil, err
}

// yamlNotes turns what the parser did not understand into notes.
func yamlNotes(errs []string) []string {
	field := regexp.MustCompile(`^line (\d+): field ([\w.-]+) not found in type`)
	line := regexp.MustCompile(`^line (\d+): `)
	var notes, unused []string
	for _, text := range errs {
		if m := field.FindStringSubmatch(text); m != nil {
			unused = append(unused, m[2])
		} else if m := line.FindStringSubmatch(text); m != nil {
			notes = append(notes, fmt.Sprintf("line %s is not understood", m[1]))
		}
	}
	return append(notes, unusedNote(unused)...)
}

// decodeTOML is decodeYAML for TOML.
func decodeTOML(text string, into any) (notes []string, err error) {
	meta, err := toml.Decode(text, into)
	if wrong, ok := errors.AsType[toml.ParseError](err); ok {
		return nil, fmt.Errorf("line %d: %s", wrong.Position.Line, withoutQuotes(wrong.Message))
	}
	if err != nil {
		return nil, errors.New("it has a value of another kind than is known")
	}
	var unused []string
	for _, key := range meta.Undecoded() {
		unused = append(unused, key[len(key)-1])
	}
	return unusedNote(unused), nil
}

// unusedNote names keys that may matter and are not used.
func unusedNote(keys []string) []string {
	keys = slices.DeleteFunc(keys, isHarmless)
	slices.Sort(keys)
	keys = slices.Compact(keys)
	if len(keys) == 0 {
		return nil
	}
	more := ""
	if len(keys) > maxUnknown {
		keys, more = keys[:maxUnknown], ", …"
	}
	return []string{"not understood and not used: " + strings.Join(keys, ", ") + more}
}

// isHarmless tells whether a key of another tool's file says nothing about how
// to connect.
func isHarmless(key string) bool {
	return slices.Contains([]string{
		// kaf
		"current-cluster", "ClusterOverride", "version", "schema-registry-url", "schema-registry-credentials",
		// kafkactl
		"current-context", "avro", "protobuf", "producer", "consumer", "clientid", "clientID", "kafkaversion", "kafkaVersion",
		"requesttimeout", "requestTimeout", "schemaregistry", "schemaRegistry", "defaultpartitioner", "defaultPartitioner",
		// rpk
		"globals", "current_profile", "current_cloud_auth_org_id", "current_cloud_auth_kind", "cloud_auth", "admin_api",
		"schema_registry", "description", "prompt", "from_cloud", "license_key", "redpanda", "rpk",
		// kcl
		"current_profile", "timeout_ms", "broker_timeout_ms", "dial_timeout_ms", "retry_timeout_ms", "fallback_brokers", "log_level",
	}, key)
}
