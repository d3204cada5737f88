package profile

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func asMap(properties []property) map[string]string {
	m := map[string]string{}
	for _, p := range properties {
		m[p.key] = p.value
	}
	return m
}

// trickyProperties are texts on which simpler parsers go wrong.
func trickyProperties() []string {
	return []string{
		"a=b", "a = b ", "a:b", "a b", "a\tb", "a  =  b", "a==b", "a=:b", "a : = b", "a", "=b", " = b", "a\\ b=c", "a\\=b=c", "a\\:b:c",
		"# c\n! d\na=1", "  # c\n  a=1", "a=1 # no comment", "a=one\\\n   two", "a=one\\\r\n   two\r\nb=3", "a=x\\\\\nb=y",
		"a=x\\\\\\\nb=y", "# c\\\na=1", "a=\\\n\\\nb", "a=\\\n#b", "\\\n\\\n", "a=b\\", "a=\\t\\n\\r\\f\\q\\\"", "a=\\u0041\\u00e4\\uD83D\\uDE00",
		"pass=${file:/x:y}$1\\u0024{env:HOME}", "a=1\na=2", "a=\r\rb=2\r", "a\\\n  b=c", "\fa=b", "a=b\f", "key\\u003dx=y", "a=\\uuuu",
		"a=\\u12", "a=\xe4\xf6", "a=\xc3\xa4", "a.b-c_d=e,f;g", "sasl.jaas.config=org.X required \\\n  username=\"u\" \\\n  password=\"p\\\\\"q\";",
		"", "\n\n", "a=\\", "a=\\\\", "a\\", "x=1\n\\\ny=2", "   \\\nz=1", "a=b\\\n", "a=b\\\n\nc=d", "=", ":", "\\==x", "a=\\u00E4\\U0041",
		"\\", "\\\n", "\\\n\nz=1", "a=1\n\\", "a=1\n \\\n",
	}
}

// loader prints what java.util.Properties reads from each file, as JSON.
const loader = `
import java.io.*; import java.util.*;
class Load { public static void main(String[] files) throws Exception {
  for (String f : files) { Properties p = new Properties(); String out;
    try (InputStream in = new FileInputStream(f)) { p.load(in); StringBuilder b = new StringBuilder("{");
      for (String k : p.stringPropertyNames()) { if (b.length() > 1) b.append(","); b.append(q(k)).append(":").append(q(p.getProperty(k))); }
      out = b.append("}").toString(); } catch (IllegalArgumentException e) { out = "null"; }
    System.out.println(out); } }
  static String q(String s) { StringBuilder b = new StringBuilder("\"");
    for (char c : s.toCharArray()) b.append(String.format("\\u%04x", (int) c)); return b.append("\"").toString(); } }`

// TestPropertiesAsJava compares with Java's own parser.
func TestPropertiesAsJava(t *testing.T) {
	java, err := exec.LookPath("javac")
	if err != nil {
		t.Skip("javac is not installed: the comparison with java.util.Properties was not run")
	}
	java = filepath.Join(filepath.Dir(java), "java")
	dir := t.TempDir()
	args := []string{"-Xshare:auto", "-XX:TieredStopAtLevel=1", filepath.Join(dir, "Load.java")}
	must(t, os.WriteFile(args[2], []byte(loader), 0o600))
	for i, text := range trickyProperties() {
		file := filepath.Join(dir, string(rune('a'+i/26))+string(rune('a'+i%26)))
		must(t, os.WriteFile(file, []byte(text), 0o600))
		args = append(args, file)
	}
	out, err := exec.CommandContext(t.Context(), java, args...).Output()
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			t.Fatalf("%v: %s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	answers := strings.Split(strings.TrimSpace(string(out)), "\n")
	for i, text := range trickyProperties() {
		var want map[string]string
		must(t, json.Unmarshal([]byte(answers[i]), &want))
		got, err := parseProperties(decodeProperties(text))
		if (want == nil) != (err != nil) || err == nil && !maps.Equal(asMap(got), want) {
			t.Errorf("%q: %q (%v), Java reads %q", text, asMap(got), err, want)
		}
	}
}

// The same without Java, for what matters most.
func TestProperties(t *testing.T) {
	tests := []struct{ text, key, want string }{
		{"a=one\\\r\n   two\r\n", "a", "onetwo"},
		{"a=\\uD83D\\uDE00", "a", "😀"},
		{"a=\xe4", "a", "ä"},
		{"a=\xc3\xa4", "a", "Ã¤"},
		{"\xef\xbb\xbfa=\xc3\xa4", "a", "ä"},
		{"p=${env:HOME}", "p", "${env:HOME}"},
		{"a\\ b : c", "a b", "c"},
	}
	for _, tt := range tests {
		got, err := parseProperties(decodeProperties(tt.text))
		if err != nil || asMap(got)[tt.key] != tt.want {
			t.Errorf("%q: %q %v, want %q", tt.text, asMap(got), err, tt.want)
		}
	}
	if _, err := parseProperties("a=1\nb=\\u00g0"); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("a malformed escape: %v", err)
	}
}

func FuzzParseProperties(f *testing.F) {
	for _, text := range trickyProperties() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		all, err := parseProperties(decodeProperties(text))
		if err != nil {
			return
		}
		for i, p := range all {
			if p.line < 1 || p.line > strings.Count(text, "\n")+strings.Count(text, "\r")+1 {
				t.Errorf("%q: property %d is on line %d", text, i, p.line)
			}
		}
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
