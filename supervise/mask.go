package supervise

import "github.com/errclass/errclass/internal/mask"

// Masked replaces each secret.
const Masked = mask.Masked

// MaskSecrets replaces likely secrets by [Masked]:
//
//   - keys with a provider's prefix (sk-..., ghp_..., AIza...)
//   - values after names such as api_key, token and password, in JSON (also
//     escaped), YAML, query strings, environments, flags and connection strings
//   - credentials in Authorization and Cookie headers, user information in URLs,
//     and the paths of webhooks
//   - JSON web tokens, private keys, and long tokens that look random
//
// Ids and hashes are kept. So are words that say what is wrong with a secret
// ("token: expired"), because the classifier needs them. Masking twice changes
// nothing. The cost is linear in the length of the text. MaskSecrets cannot find
// every secret: a password that is an ordinary word in a sentence is kept.
func MaskSecrets(text string) string { return mask.Text(text) }
