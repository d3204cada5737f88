package profile

import (
	"fmt"
	"path/filepath"
	"strings"
)

// tool is another program whose settings are read, never written.
type tool struct {
	name string
	// files are where its settings may be, best first.
	files func(Env) []string
	// parse turns the text of a file into profiles; names are without the tool.
	parse func(file, text string) ([]imported, error)
}

// imported is one profile of another tool, as settings.
type imported struct {
	name string
	set  map[string]string
	// notes are sentences about what was not understood.
	notes []string
}

// otherTools are all that are looked for.
func otherTools() []tool {
	home := func(parts ...string) func(Env) []string {
		return func(e Env) []string {
			if e.Home == "" {
				return nil
			}
			return []string{filepath.Join(append([]string{e.Home}, parts...)...)}
		}
	}
	return []tool{
		{"kcat", kcatFiles, parseKcat},
		{"kaf", home(".kaf", "config"), parseKaf},
		{"kafkactl", kafkactlFiles, parseKafkactl},
		{"rpk", home(".config", "rpk", "rpk.yaml"), parseRpk},
		{"kcl", home(".config", "kcl", "config.toml"), parseKcl},
	}
}

func kcatFiles(e Env) []string {
	if file := e.Getenv("KCAT_CONFIG"); file != "" {
		return []string{file}
	}
	if e.Home == "" {
		return nil
	}
	return []string{filepath.Join(e.Home, ".config", "kcat.conf"), filepath.Join(e.Home, ".config", "kafkacat.conf")}
}

func kafkactlFiles(e Env) []string {
	if file := e.Getenv("KAFKA_CTL_CONFIG"); file != "" {
		return []string{file}
	}
	var files []string
	if e.Home != "" {
		files = append(files, filepath.Join(e.Home, ".config", "kafkactl", "config.yml"), filepath.Join(e.Home, ".kafkactl", "config.yml"))
	}
	return append(files, "/etc/kafkactl/config.yml")
}

// profiles reads the first of the tool's files that is there.
func (t tool) profiles(env Env) []Profile {
	for _, file := range t.files(env) {
		text, err := env.read(file)
		if isMissing(err) {
			continue
		}
		var found []imported
		if err == nil {
			found, err = t.parse(file, text)
		}
		if err != nil {
			return []Profile{{Name: t.name, Source: file, Problem: fmt.Sprintf("%s can't be read: %s", file, oneLine(err))}}
		}
		return t.convert(env, file, found)
	}
	return nil
}

// oneLine is an error of a parser without the text that it repeats: lines of
// these files can hold secrets.
func oneLine(err error) string {
	first, _, _ := strings.Cut(err.Error(), "\n")
	return withoutQuotes(first)
}

func (t tool) convert(env Env, file string, found []imported) []Profile {
	var out []Profile
	for _, f := range found[:min(len(found), maxProfiles)] {
		p := Profile{Name: t.name, Source: file}
		if f.name != "" {
			p.Name += ":" + f.name
		}
		var l layer
		for key, value := range f.set {
			if value != "" || key == "ssl.endpoint.identification.algorithm" {
				l.entries = append(l.entries, entry{key: key, value: value, source: file})
			}
		}
		for _, note := range f.notes {
			p.Notes = append(p.Notes, fmt.Sprintf("%s: %s", file, note))
		}
		p.layers = []layer{l}
		p.warnOfSecrets(env, l)
		out = append(out, p)
	}
	return out
}

// withNotes adds sentences about a file to each of its profiles.
func withNotes(all []imported, notes []string) []imported {
	for i := range all {
		all[i].notes = append(all[i].notes, notes...)
	}
	return all
}

// note adds a sentence about what was not understood.
func (i *imported) note(format string, args ...any) {
	i.notes = append(i.notes, fmt.Sprintf(format, args...))
}

// protocol sets security.protocol from two switches, as many tools have them.
func (i *imported) protocol(tlsOn, saslOn bool) {
	name := map[[2]bool]string{
		{false, false}: "PLAINTEXT", {true, false}: "SSL", {false, true}: "SASL_PLAINTEXT", {true, true}: "SASL_SSL",
	}[[2]bool{tlsOn, saslOn}]
	i.set["security.protocol"] = name
}

// mechanism sets the SASL mechanism in the spelling of Kafka.
func (i *imported) mechanism(name string) {
	m := strings.ToUpper(strings.ReplaceAll(name, "_", "-"))
	switch m {
	case "SCRAM-SHA256", "SCRAMSHA256", "SCRAM-256":
		m = "SCRAM-SHA-256"
	case "SCRAM-SHA512", "SCRAMSHA512", "SCRAM-512":
		m = "SCRAM-SHA-512"
	case "PLAINTEXT":
		m = "PLAIN"
	case "AWS-MSK-IAM":
		m = "AWS_MSK_IAM"
	case "OAUTH":
		m = "OAUTHBEARER"
	}
	i.set["sasl.mechanism"] = m
}

// skipsChain notes that a tool was told not to check certificates at all.
func (i *imported) skipsChain(on bool) {
	if on {
		i.note("it turns off the check of the brokers' certificates; sharetop keeps it: name their authority")
	}
}
