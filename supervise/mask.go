package supervise

import "github.com/errclass/errclass/internal/mask"

// Masked replaces each secret.
const Masked = mask.Masked

// MaskSecrets replaces likely secrets by [Masked]:
//
//   - Keys with a provider's prefix: sk-..., ghp_..., AIza...
//   - Values, lists and maps after names such as api_key, token and password. The
//     names are known in several languages. The text may be JSON (also escaped JSON),
//     YAML, TOML, a query string, an environment, flags or a connection string.
//   - Credentials in headers, in protocols such as SMTP and Redis, and in SQL.
//   - Credentials in the arguments of known programs and functions.
//   - Passwords that a sentence states: la contraseña es X, das Passwort ist X.
//   - User information in URLs, and the paths of webhooks.
//   - One-time codes, PINs and card security codes, if a word beside the code names
//     it.
//   - JSON web tokens, private keys, and long tokens that look random.
//
// Ids and hashes are kept. Words that only describe a secret are kept, because the
// classifier needs them ("token: expired"). Masking twice changes nothing. The cost is
// linear in the length of the text. MaskSecrets cannot find every secret. A password
// that is an ordinary word in an English sentence is kept.
func MaskSecrets(text string) string { return mask.Text(text) }
