package auth

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
)

// sealKeySize is the size of the key that the keyring keeps, in bytes. Tokens are of any size, and keyrings take as
// little as 2,560 bytes (Windows) or 4,096 (macOS).
const sealKeySize = 32

// errSeal says that a sealed part does not open: another key sealed it, or it was changed.
var errSeal = errors.New("the key of the keyring does not open it")

func newSealKey() []byte {
	key := make([]byte, sealKeySize)
	rand.Read(key) // it never fails, see its documentation
	return key
}

func sealer(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, errSeal
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// seal encrypts plain with AES-256-GCM under a random nonce, which comes first. bound is authenticated with it.
func seal(key, plain, bound []byte) ([]byte, error) {
	aead, err := sealer(key)
	if err != nil {
		return nil, err
	}
	return aead.Seal(nil, nil, plain, bound), nil //nolint:gosec // this AEAD makes its own nonces
}

func unseal(key, sealed, bound []byte) ([]byte, error) {
	aead, err := sealer(key)
	if err != nil {
		return nil, err
	}
	plain, err := aead.Open(nil, nil, sealed, bound)
	if err != nil {
		return nil, errSeal
	}
	return plain, nil
}
