package supervise

import "github.com/errclass/errclass/internal/mask"

// Masked stands where a secret was.
const Masked = mask.Masked

// MaskSecrets replaces what looks like a secret by [Masked]: keys by the prefixes
// that providers give them (sk-..., ghp_..., AIza...), values after names such as
// api_key, token and password in any notation (JSON, also escaped; YAML; query
// strings; environments; flags; connection strings), credentials in Authorization
// and Cookie headers, user information in URLs, the paths of webhooks, JSON web
// tokens, private keys, and long tokens that look random. Words that say what is
// wrong with a secret stay ("token: expired"), so that the text can still be
// classified; so do ids and hashes. Masking twice changes nothing, and the cost is
// linear in the text's length. It is a net with a known mesh, not a proof that
// nothing is left: a password that is a plain word in a plain sentence stays.
func MaskSecrets(text string) string { return mask.Text(text) }
