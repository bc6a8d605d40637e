package rail

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
