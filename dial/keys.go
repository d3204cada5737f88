package dial

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"sharetop/model"
)

// maxKeyFile bounds a private key's file, in bytes.
const maxKeyFile = 1 << 20

// keyring finds the keys to log in with: those of the agent, and key files. A
// passphrase is asked for once.
type keyring struct {
	home  string
	agent string // the agent's socket; empty for none
	ask   func(prompt string) (model.Secret, error)

	mu sync.Mutex
	// opened are decrypted keys by file; a nil one could not be opened.
	opened map[string]ssh.Signer
}

// signers are the keys for one host, and a function that closes the agent. Keys
// with a passphrase are among them only when withPassphrase is set: one asks for
// them after all others failed.
func (k *keyring) signers(h hop, withPassphrase bool) ([]ssh.Signer, func()) {
	files := h.identities
	if len(files) == 0 {
		for _, name := range []string{"id_ed25519", "id_ecdsa", "id_rsa"} {
			files = append(files, filepath.Join(k.home, ".ssh", name))
		}
	}
	fromFiles := k.fromFiles(files, withPassphrase)
	fromAgent, closeAgent := k.fromAgent()
	if h.onlyThese {
		fromAgent = slices.DeleteFunc(fromAgent, func(s ssh.Signer) bool { return !k.isListed(s, h.identities) })
	}
	return append(fromAgent, fromFiles...), closeAgent
}

// fromAgent asks the agent for its keys; one that does not answer has none.
func (k *keyring) fromAgent() ([]ssh.Signer, func()) {
	nothing := func() {}
	if k.agent == "" {
		return nil, nothing
	}
	conn, err := net.Dial("unix", k.agent) //nolint:noctx // a local socket answers at once or not at all
	if err != nil {
		return nil, nothing
	}
	signers, err := agent.NewClient(conn).Signers()
	if err != nil {
		_ = conn.Close()
		return nil, nothing
	}
	return signers, func() { _ = conn.Close() }
}

// isListed tells whether a key of the agent is that of one of these files, by
// the public keys beside them.
func (k *keyring) isListed(s ssh.Signer, files []string) bool {
	for _, file := range files {
		text, err := readKeyFile(file + ".pub")
		if err != nil {
			continue
		}
		public, _, _, _, err := ssh.ParseAuthorizedKey(text)
		if err == nil && string(public.Marshal()) == string(s.PublicKey().Marshal()) {
			return true
		}
	}
	return false
}

// fromFiles opens key files. Those that are not there or can't be opened are
// left out: the host says at the end that no key fits.
func (k *keyring) fromFiles(files []string, withPassphrase bool) []ssh.Signer {
	k.mu.Lock()
	defer k.mu.Unlock()
	var out []ssh.Signer
	for _, file := range files {
		if signer, tried := k.opened[file]; tried {
			if signer != nil {
				out = append(out, signer)
			}
			continue
		}
		text, err := readKeyFile(file)
		if err != nil {
			continue
		}
		signer, err := ssh.ParsePrivateKey(text)
		if _, locked := errors.AsType[*ssh.PassphraseMissingError](err); locked && withPassphrase {
			signer = k.unlock(file, text)
			k.opened[file] = signer
		}
		if signer != nil {
			out = append(out, signer)
		}
	}
	return out
}

// unlock asks for a passphrase; nil when it does not open the key.
func (k *keyring) unlock(file string, text []byte) ssh.Signer {
	if k.ask == nil {
		return nil
	}
	passphrase, err := k.ask("passphrase of " + model.Sanitize(file))
	if err != nil {
		return nil
	}
	signer, err := ssh.ParsePrivateKeyWithPassphrase(text, []byte(passphrase.Reveal()))
	if err != nil {
		return nil
	}
	return signer
}

func readKeyFile(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxKeyFile))
	if err != nil {
		return nil, fmt.Errorf("%s can't be read: %w", file, err)
	}
	return text, nil
}
