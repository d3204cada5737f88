//go:build linux

package test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sharetop/model"
	"sharetop/test/broker"
)

const realm = "SHARETOP.INVALID"

// kdc is a realm with a running MIT KDC.
type kdc struct {
	t    *testing.T
	dir  string
	conf string
}

// startKDC skips the test where there is no KDC to start.
func startKDC(t *testing.T) *kdc {
	t.Helper()
	for _, program := range []string{"krb5kdc", "kdb5_util", "kadmin.local", "kinit"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("this test was not run: it needs MIT Kerberos (Debian: apt-get install krb5-kdc krb5-admin-server krb5-user)")
		}
	}
	addr, port := freeAddress(t)
	k := &kdc{t: t, dir: t.TempDir()}
	k.conf = k.write("krb5.conf", fmt.Sprintf("[libdefaults]\n default_realm = %[1]s\n dns_lookup_kdc = false\n dns_lookup_realm = false\n"+
		" rdns = false\n udp_preference_limit = 1\n[realms]\n %[1]s = {\n  kdc = %[2]s\n }\n", realm, addr))
	t.Setenv("KRB5_CONFIG", k.conf)
	t.Setenv("KRB5_KDC_PROFILE", k.write("kdc.conf", fmt.Sprintf("[realms]\n %[1]s = {\n  database_name = %[2]s/principal\n"+
		"  key_stash_file = %[2]s/stash\n  acl_file = %[2]s/acl\n  kdc_listen = 127.0.0.1:%[3]s\n  kdc_tcp_listen = 127.0.0.1:%[3]s\n }\n",
		realm, k.dir, port)))
	k.run("kdb5_util", "create", "-s", "-r", realm, "-P", "master")
	cmd := exec.Command("krb5kdc", "-n")
	must(t, cmd.Start())
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
	})
	awaitListener(t, "krb5kdc", addr, ended, func() string { return "" })
	return k
}

func (k *kdc) write(name, text string) string {
	k.t.Helper()
	path := filepath.Join(k.dir, name)
	must(k.t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func (k *kdc) run(program string, args ...string) {
	k.t.Helper()
	if out, err := exec.CommandContext(k.t.Context(), program, args...).CombinedOutput(); err != nil {
		k.t.Fatalf("%s %q: %v\n%s", program, args, err, out)
	}
}

// keytab makes a principal and a file with its key.
func (k *kdc) keytab(principal string) string {
	k.t.Helper()
	file := filepath.Join(k.dir, strings.ReplaceAll(principal, "/", "_")+".keytab")
	k.run("kadmin.local", "-r", realm, "-q", "addprinc -randkey "+principal)
	k.run("kadmin.local", "-r", realm, "-q", "ktadd -k "+file+" "+principal)
	return file
}

// TestKerberos logs in to a real broker with tickets of a real MIT KDC: by
// keytab and by ticket cache, and not with a key that the realm does not have.
func TestKerberos(t *testing.T) {
	k := startKDC(t)
	const host = "127.0.0.1" // what the broker advertises
	server := k.keytab("kafka/" + host)
	alice := k.keytab("alice")
	stale := filepath.Join(k.dir, "stale.keytab")
	k.run("cp", alice, stale)
	alice = k.keytabAgain("alice")
	cache := filepath.Join(k.dir, "cache")
	k.run("kinit", "-k", "-t", alice, "-c", "FILE:"+cache, "alice@"+realm)
	t.Setenv("JAVA_TOOL_OPTIONS", "-Djava.security.krb5.conf="+k.conf)
	ca := newAuthority(t, "test authority")
	props := map[string]string{
		"sasl.enabled.mechanisms": "GSSAPI",
		"gssapi.sasl.jaas.config": fmt.Sprintf("com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true storeKey=true "+
			"keyTab=%q principal=\"kafka/%s@%s\";", server, host, realm),
		"sasl.kerberos.service.name": "kafka",
	}
	encrypted := ca.brokerProps("kerberos", time.Hour, host)
	maps.Copy(encrypted, props)
	c := startKafka(t, broker.Options{
		Users: users(),
		Listeners: []broker.Listener{
			{Name: "KERBEROS", Protocol: "SASL_PLAINTEXT", Props: props},
			{Name: "TLSKERBEROS", Protocol: "SASL_SSL", Props: encrypted},
		},
		Props: map[string]string{"super.users": "User:ANONYMOUS;User:alice", "sasl.kerberos.service.name": "kafka"},
	})
	const group = "kerberos-group"
	must(t, c.work.CreateTopic(t.Context(), group, 1))
	must(t, c.work.PlaceGroup(t.Context(), group, group, 0))
	loginTo := func(listener, protocol, options string) []string {
		return []string{
			"bootstrap.servers=" + c.ListenerAddress(listener), "security.protocol=" + protocol, "sasl.mechanism=GSSAPI",
			"ssl.truststore.location=" + ca.trustPEM(),
			"sasl.kerberos.service.name=kafka", "sharetop.kerberos.config=" + k.conf,
			"sasl.jaas.config=com.sun.security.auth.module.Krb5LoginModule required " + options + ";",
		}
	}
	login := func(options string) []string { return loginTo("KERBEROS", "SASL_PLAINTEXT", options) }
	keytab := `useKeyTab=true keyTab="%s" principal="alice@` + realm + `"`
	for name, lines := range map[string][]string{
		"keytab":       login(fmt.Sprintf(keytab, alice)),
		"ticket cache": login(`useTicketCache=true ticketCache="` + cache + `"`),
		"SASL_SSL":     loginTo("TLSKERBEROS", "SASL_SSL", fmt.Sprintf(keytab, alice)),
	} {
		t.Run(name, func(t *testing.T) {
			a := connectBy(t, nil, lines...)
			a.until("the list of groups", func(s *model.Snapshot) bool { return !s.Listed.IsZero() && s.Offsets.Sweep.FirstDone })
			startsScreen(t, t.TempDir(), group, "--command-config", propertiesFile(t, lines...))
		})
	}
	for name, options := range map[string]string{
		"stale keytab": fmt.Sprintf(keytab, stale), "no cache": `useTicketCache=true ticketCache="/nowhere"`,
	} {
		t.Run(name, func(t *testing.T) {
			s := connectBy(t, nil, login(options)...).until("why there is no login", func(s *model.Snapshot) bool { return clusterProblem(s) != nil })
			if p := clusterProblem(s); p.Kind != model.ProblemDenied || p.Advice == "" {
				t.Errorf("%s: %s → %s", p.Kind, p.Detail, p.Advice)
			} else {
				t.Logf("%s → %s", p.Detail, p.Advice)
			}
			failsOnScreen(t, "could not be logged in to", "", "--command-config", propertiesFile(t, login(options)...))
		})
	}
}

// keytabAgain gives a principal a new key, which makes its old keytab stale.
func (k *kdc) keytabAgain(principal string) string {
	k.t.Helper()
	file := filepath.Join(k.dir, "new.keytab")
	k.run("kadmin.local", "-r", realm, "-q", "ktadd -k "+file+" "+principal)
	return file
}
