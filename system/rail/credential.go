package rail

import "strconv"

// Credential is what opens the rail. It prints as a placeholder, so that no log, error or history
// can carry it by accident; only an HTTP header may, by Reveal.
type Credential string

// String implements fmt.Stringer without the secret.
func (Credential) String() string { return "[credential]" }

// GoString implements fmt.GoStringer without the secret.
func (Credential) GoString() string { return "[credential]" }

// MarshalText implements encoding.TextMarshaler without the secret.
func (Credential) MarshalText() ([]byte, error) { return []byte("[credential]"), nil }

// Reveal returns the secret itself.
func (c Credential) Reveal() string { return string(c) }

// In is the credential of an epoch, made from the one that the rail's customer was given at first. That
// one is the credential of epoch 0.
func (c Credential) In(epoch int64) Credential {
	if epoch == 0 {
		return c
	}
	return c + Credential("."+strconv.FormatInt(epoch, 10))
}
