package broker

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// property finds one value in the text of a server.properties.
func property(text, key string) string {
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, key+"="); ok {
			return strings.TrimSuffix(value, "\n")
		}
	}
	return ""
}

func TestProperties(t *testing.T) {
	three := ports{controller: 1, plain: []int{11, 12, 13}, sasl: []int{21, 22, 23}, behind: []int{31, 32, 33}}
	behind := Options{Behind: func(target string) (string, error) { return "front-of-" + target, nil }}
	plain := Options{Nodes: 3, Props: map[string]string{"num.partitions": "7"}}
	users := Options{Nodes: 1, Users: map[string]string{"packer": "secret", "auditor": "hidden"}}
	tests := []struct {
		name    string
		options Options
		node    int
		key     string
		want    string
	}{
		{"node 1 is the controller", plain, 1, "process.roles", "broker,controller"},
		{"node 1 listens for both", plain, 1, "listeners", "PLAINTEXT://127.0.0.1:11,CONTROLLER://127.0.0.1:1"},
		{"node 3 is a broker", plain, 3, "process.roles", "broker"},
		{"node 3 listens for clients", plain, 3, "advertised.listeners", "PLAINTEXT://127.0.0.1:13"},
		{"node 3 finds the controller", plain, 3, "controller.quorum.bootstrap.servers", "127.0.0.1:1"},
		{"three replicas on three nodes", plain, 1, "share.coordinator.state.topic.replication.factor", "3"},
		{"one replica on one node", users, 1, "offsets.topic.replication.factor", "1"},
		{"a given property wins", plain, 1, "num.partitions", "7"},
		{"no users, no authorizer", plain, 1, "authorizer.class.name", ""},
		{"users have a listener", users, 1, "listeners", "PLAINTEXT://127.0.0.1:11,SASL_PLAINTEXT://127.0.0.1:21,CONTROLLER://127.0.0.1:1"},
		{
			"users have passwords", users, 1, "listener.name.sasl_plaintext.plain.sasl.jaas.config",
			`org.apache.kafka.common.security.plain.PlainLoginModule required user_auditor="hidden" user_packer="secret";`,
		},
		{"a proxy's target is listened on", behind, 1, "listeners", "PLAINTEXT://127.0.0.1:11,CONTROLLER://127.0.0.1:1,BEHIND://127.0.0.1:31"},
		{"and the proxy advertised", behind, 1, "advertised.listeners", "PLAINTEXT://127.0.0.1:11,CONTROLLER://127.0.0.1:1,BEHIND://front-of-127.0.0.1:31"},
		{"the plain listener may do everything", users, 1, "super.users", "User:ANONYMOUS"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text, err := test.options.properties(test.node, three, "/data")
			if err != nil {
				t.Fatal(err)
			}
			if got := property(text, test.key); got != test.want {
				t.Errorf("%s = %q, want %q", test.key, got, test.want)
			}
		})
	}
}

func TestPropertiesWithoutTheProxy(t *testing.T) {
	none := Options{Behind: func(string) (string, error) { return "", errors.New("no port is free") }}
	three := ports{plain: []int{11}, behind: []int{31}}
	if _, err := none.properties(1, three, "/data"); err == nil || !strings.Contains(err.Error(), "no port is free") {
		t.Errorf("err = %v, want why there is no proxy", err)
	}
}

func TestOptionsWithDefaults(t *testing.T) {
	o, err := Options{}.withDefaults()
	if err != nil || o.Version != Kafka44 || o.Nodes != 1 {
		t.Errorf("defaults are %+v, %v; want one node of %s", o, err, Kafka44)
	}
	if _, err := (Options{Nodes: 2}).withDefaults(); err == nil {
		t.Error("two nodes are accepted")
	}
}

func TestFreePortsDiffer(t *testing.T) {
	p, err := freePorts(t.Context(), 3, 0)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{p.controller: true}
	for _, port := range slices.Concat(p.plain, p.sasl, p.behind) {
		seen[port] = true
	}
	if len(seen) != 10 || len(p.plain) != 3 || len(p.sasl) != 3 {
		t.Errorf("%+v: want ten different ports, three per listener", p)
	}
}
