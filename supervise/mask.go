package supervise

import "github.com/errclass/errclass/internal/mask"

// Masked replaces each secret.
const Masked = mask.Masked

// MaskSecrets replaces likely secrets by [Masked]:
//
//   - keys with a provider's prefix (sk-..., ghp_..., AIza...)
//   - values, lists and maps after names such as api_key, token and password, in
//     JSON (also escaped), YAML, TOML, query strings, environments, flags and
//     connection strings, and in several languages
//   - credentials in headers, in protocols such as SMTP and Redis, in SQL, and in the
//     arguments of known programs and functions
//   - passwords that a sentence states: la contraseña es X, das Passwort ist X
//   - user information in URLs, and the paths of webhooks
//   - one-time codes, PINs and the security codes of cards, if a word beside the
//     code names it
//   - JSON web tokens, private keys, and long tokens that look random
//
// Ids and hashes are kept. So are words that say what is wrong with a secret
// ("token: expired"), because the classifier needs them. Masking twice changes
// nothing. The cost is linear in the length of the text. MaskSecrets cannot find
// every secret: a password that is an ordinary word in an English sentence is kept.
func MaskSecrets(text string) string { return mask.Text(text) }
