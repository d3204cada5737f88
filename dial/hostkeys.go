package dial

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"net"
	"os"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// hostKeys checks the keys of SSH hosts against known_hosts. There is no way
// around it.
type hostKeys struct {
	check ssh.HostKeyCallback
	files []string
}

func newHostKeys(files []string) (hostKeys, error) {
	var there []string
	for _, file := range files {
		if _, err := os.Stat(file); err == nil {
			there = append(there, file)
		}
	}
	check, err := knownhosts.New(there...)
	if err != nil {
		return hostKeys{}, fmt.Errorf("the known SSH hosts can't be read: %w", err)
	}
	return hostKeys{check: check, files: files}, nil
}

// verify refuses a key that is unknown or another than before, with its
// fingerprint.
func (k hostKeys) verify(host string, remote net.Addr, key ssh.PublicKey) error {
	err := k.check(host, remote, key)
	if wrong, ok := errors.AsType[*knownhosts.KeyError](err); ok {
		print := ssh.FingerprintSHA256(key)
		if len(wrong.Want) == 0 {
			return fmt.Errorf("the SSH host %s is unknown: its %s key is %s; connect once with ssh and compare it, "+
				"then it stands in %s", host, key.Type(), print, k.files[0])
		}
		return fmt.Errorf("the SSH host %s has ANOTHER KEY than before: its %s key is %s, and %s:%d has another; "+
			"somebody may be in between, or the host was set up anew", host, key.Type(), print, wrong.Want[0].Filename, wrong.Want[0].Line)
	}
	if revoked, ok := errors.AsType[*knownhosts.RevokedError](err); ok {
		return fmt.Errorf("the key of the SSH host %s is revoked in %s:%d", host, revoked.Revoked.Filename, revoked.Revoked.Line)
	}
	return err
}

// algorithms are the kinds of key that are known of a host, so that it offers
// one that can be compared; nil when none is known.
func (k hostKeys) algorithms(host string, remote net.Addr) []string {
	// A key that no host has makes the library tell which it wants.
	public, err := ssh.NewPublicKey(ed25519.PublicKey(make([]byte, ed25519.PublicKeySize)))
	if err != nil {
		return nil
	}
	wrong, ok := errors.AsType[*knownhosts.KeyError](k.check(host, remote, public))
	if !ok {
		return nil
	}
	var kinds []string
	for _, want := range wrong.Want {
		kind := want.Key.Type()
		if kind == ssh.KeyAlgoRSA {
			kinds = append(kinds, ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256)
			continue
		}
		kinds = append(kinds, kind)
	}
	return kinds
}
