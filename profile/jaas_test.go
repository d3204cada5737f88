package profile

import (
	"maps"
	"strings"
	"testing"
)

func TestJAAS(t *testing.T) {
	const plain = "org.apache.kafka.common.security.plain.PlainLoginModule"
	tests := []struct {
		name, text string
		want       []map[string]string
	}{
		{
			"usual", plain + ` required username="alice" password="a-secret";`,
			[]map[string]string{{"username": "alice", "password": "a-secret"}},
		},
		{
			"signs in quotes", plain + ` required username="a;b=c" password="x\"y;z\\ {}'";`,
			[]map[string]string{{"username": "a;b=c", "password": `x"y;z\ {}'`}},
		},
		{"single quotes", plain + ` required password='it is "so"';`, []map[string]string{{"password": `it is "so"`}}},
		{"unquoted", plain + " REQUIRED username=alice password=s3cr3t==/+ ;", []map[string]string{{"username": "alice", "password": "s3cr3t==/+"}}},
		{"blanks", "\n " + plain + "\n required\n  username = \"a\"\n ;\n", []map[string]string{{"username": "a"}}},
		{"comments", "/* x */ " + plain + " required // y\n username=\"a\"; # z", []map[string]string{{"username": "a"}}},
		{"none", plain + " required;", []map[string]string{{}}},
		{"octal and tab", plain + ` required password="\101\t\0";`, []map[string]string{{"password": "A\t\x00"}}},
		{
			"several", plain + ` required username="a"; ` + plain + ` optional username="b";`,
			[]map[string]string{{"username": "a"}, {"username": "b"}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parseJAAS(tt.text)
			if err != nil || len(got) != len(tt.want) {
				t.Fatalf("%+v, %v", got, err)
			}
			for i, m := range got {
				if m.name() != "PlainLoginModule" || !maps.Equal(m.options, tt.want[i]) {
					t.Errorf("%d: %s %q, want %q", i, m.class, m.options, tt.want[i])
				}
			}
		})
	}
}

func TestBadJAASKeepsSecrets(t *testing.T) {
	for _, text := range []string{
		"", "  ", "X", "X need a=b;", `X required password="hush`, `X required password="hush"`, `X required password "hush";`,
		`X required password=;`, "X required password=\"hush\n\";", "/* hush", `X required password="hush" hush;`,
	} {
		got, err := parseJAAS(text)
		if err == nil {
			t.Errorf("%q was taken: %+v", text, got)
		} else if strings.Contains(err.Error(), "hush") {
			t.Errorf("%q: the error shows a secret: %v", text, err)
		}
	}
}

func TestJAASFile(t *testing.T) {
	const text = `// of the broker
KafkaServer { A required x="KafkaClient"; };
KafkaClient {
  com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true keyTab="/etc/k" principal="p@R";
};`
	got, err := parseJAASFile(text, "KafkaClient")
	if err != nil || len(got) != 1 || got[0].options["keyTab"] != "/etc/k" {
		t.Errorf("%+v %v", got, err)
	}
	for _, bad := range []string{"", "KafkaServer {};", "KafkaClient", "KafkaClient { A required;"} {
		if _, err := parseJAASFile(bad, "KafkaClient"); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func FuzzJAAS(f *testing.F) {
	f.Add(`A required b="c";`)
	f.Add(`A required b='\7';`)
	f.Fuzz(func(_ *testing.T, text string) { _, _ = parseJAAS(text) })
}
