package profile

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"strings"

	"github.com/youmark/pkcs8"

	"sharetop/model"
)

// pemBlocks are all blocks of a PEM text. Text around them is skipped.
func pemBlocks(data []byte) []*pem.Block {
	var blocks []*pem.Block
	for {
		block, rest := pem.Decode(data)
		if block == nil {
			return blocks
		}
		blocks, data = append(blocks, block), rest
	}
}

// readPEMCertificates gives all certificates of a PEM text.
func readPEMCertificates(data []byte) ([]*x509.Certificate, error) {
	return certificatesOf(pemBlocks(inlinePEM(data)))
}

// inlinePEM repairs a PEM text that was written on one line of a properties
// file with blanks for line ends, as Java accepts it (KIP-651).
func inlinePEM(data []byte) []byte {
	text := string(data)
	if strings.Contains(strings.TrimSpace(text), "\n") {
		return data
	}
	var b strings.Builder
	for {
		begin := strings.Index(text, "-----BEGIN ")
		if begin < 0 {
			return []byte(b.String())
		}
		text = text[begin:]
		label, rest, ok := strings.Cut(text[len("-----BEGIN "):], "-----")
		end := "-----END " + label + "-----"
		body, after, closed := strings.Cut(rest, end)
		if !ok || !closed {
			return data
		}
		b.WriteString("-----BEGIN " + label + "-----\n" + strings.Join(strings.Fields(body), "\n") + "\n" + end + "\n")
		text = after
	}
}

// readPEMKey gives the private key in one PEM text with the certificates of
// another (they may be the same).
func readPEMKey(keyText, chainText []byte, password model.Secret) (tls.Certificate, error) {
	key, err := pemPrivateKey(pemBlocks(inlinePEM(keyText)), password)
	if err != nil {
		return tls.Certificate{}, err
	}
	certs, err := readPEMCertificates(chainText)
	if err != nil {
		return tls.Certificate{}, err
	}
	if len(certs) == 0 {
		return tls.Certificate{}, errors.New("there is no certificate for the private key")
	}
	var chain [][]byte
	for _, c := range certs {
		chain = append(chain, c.Raw)
	}
	return pair(key, chain)
}

// pemPrivateKey parses the first private key among blocks.
func pemPrivateKey(blocks []*pem.Block, password model.Secret) (any, error) {
	for _, b := range blocks {
		if !strings.HasSuffix(b.Type, "PRIVATE KEY") {
			continue
		}
		if b.Type == "ENCRYPTED PRIVATE KEY" {
			return decryptPKCS8(b.Bytes, password)
		}
		if b.Headers["DEK-Info"] != "" {
			return nil, errors.New("its private key is encrypted in OpenSSL's old way, which is not supported: " +
				"convert it with openssl pkcs8 -topk8")
		}
		return parseKey(b.Bytes)
	}
	return nil, errNoKey
}

// errKeyPassword says that a key can't be read without its password.
var errKeyPassword = errors.New("its private key is encrypted: set ssl.key.password")

func decryptPKCS8(der []byte, password model.Secret) (any, error) {
	if password.Empty() {
		return nil, errKeyPassword
	}
	key, _, err := pkcs8.ParsePrivateKey(der, []byte(password.Reveal()))
	if err != nil {
		return nil, errors.New("its private key can't be decrypted: ssl.key.password is wrong, or the encryption is not supported")
	}
	return key, nil
}

// parseKey reads a key that is not encrypted: PKCS8, or the older forms.
func parseKey(der []byte) (any, error) {
	if key, err := x509.ParsePKCS8PrivateKey(der); err == nil {
		return key, nil
	}
	if key, err := x509.ParsePKCS1PrivateKey(der); err == nil {
		return key, nil
	}
	if key, err := x509.ParseECPrivateKey(der); err == nil {
		return key, nil
	}
	return nil, errors.New("its private key can't be read")
}
