package mask

import (
	"strconv"
	"strings"
)

// callNames lists functions with a secret argument. The field secret is the number
// of this argument: 1 is the first, -1 the last. A name can have a condition:
//   - "hmac.new" is the function new after the qualifier hmac.
//   - "encrypt/3:aes" is the function encrypt if the third argument begins with aes.
var callNames = []struct {
	secret int
	names  string
}{
	// SQL functions.
	{1, "encryptbypassphrase decryptbypassphrase old_password crypt"},
	{2, "pgp_sym_encrypt pgp_sym_decrypt pgp_sym_encrypt_bytea pgp_sym_decrypt_bytea aes_encrypt aes_decrypt des_encrypt des_decrypt hmac sqlite3_key sqlite3_rekey"},
	{2, "encrypt/3:aes encrypt/3:bf encrypt/3:des encrypt/3:3des decrypt/3:aes decrypt/3:bf decrypt/3:des decrypt/3:3des encrypt_iv decrypt_iv"},
	{3, "encrypt/1:aes- decrypt/1:aes- trydecrypt pgp_pub_decrypt pgp_pub_decrypt_bytea dbms_crypto.encrypt dbms_crypto.decrypt"},
	// Functions for ciphers, signatures and hashes.
	{1, "hmac.new pbkdf2 pbkdf2sync scrypt scryptsync fernet aes.new secretkeyspec pbekeyspec"},
	{2, "createhmac createcipher createcipheriv createdecipher createdecipheriv pbkdf2_hmac hash_pbkdf2 aes.encrypt aes.decrypt jwt.sign jwt.verify jwt.encode jwt.decode"},
	{3, "hash_hmac openssl_encrypt openssl_decrypt"},
	// Passwords.
	{1, "password_hash password_verify generate_password_hash make_password check_password set_password setpassword hashpw checkpw bcrypt.hash bcrypt.hashsync bcrypt.compare bcrypt.comparesync generatefrompassword"},
	{2, "check_password_hash comparehashandpassword"},
	// Logins.
	{2, "httpbasicauth httpdigestauth basicauth setbasicauth credentials.basic usernamepasswordcredentials passwordauthentication networkcredential simple_bind_s oci_connect smtp.login imap.login server.login ftp.login mail.login"},
	{3, "mysqli_connect mysql_connect mysqli pdo getconnection ftp_login ldap_bind imap_open ssh2_auth_password db2_connect odbc_connect"},
	{4, "mysql_real_connect"},
	{-1, "signinwithemailandpassword createuserwithemailandpassword"},
}

// A call describes which argument of a function is a secret.
type call struct {
	secret    int    // number of the secret argument; -1 is the last
	qualifier string // the name before the dot, or ""
	cipherAt  int    // number of the argument that begins with cipher, or 0
	cipher    string
}

// callsByName maps the name of a function, without a qualifier, to the entries of
// callNames.
var callsByName = func() map[string][]call {
	m := map[string][]call{}
	for _, row := range callNames {
		for name := range strings.FieldsSeq(row.names) {
			c := call{secret: row.secret}
			name, cipher, ok := strings.Cut(name, "/")
			if ok {
				c.cipherAt, _ = strconv.Atoi(cipher[:1])
				c.cipher = cipher[2:]
			}
			if q, last, ok := strings.Cut(name, "."); ok {
				c.qualifier, name = q, last
			}
			m[name] = append(m[name], c)
		}
	}
	return m
}()

const (
	mostCall   = 2048 // bytes of a call that are read
	mostNested = 8    // depth of nested calls with secrets
	mostArgs   = 6
)

// openCall is the state of reading a function call.
type openCall struct {
	calls    []call
	from     int             // index of the name
	depth    int             // depth of the brackets around the arguments
	n        int             // number of complete arguments
	literals [mostArgs]value // the first string of each argument
}

// call masks the secrets in the arguments of s.text[i:end], also in nested calls.
func (s *scanner) call(i, end int, calls []call) {
	if i < s.callTo {
		return
	}
	var open [mostNested]openCall
	open[0] = openCall{calls: calls, from: i, depth: 1}
	top, depth, k := 0, 1, end+1
	for k < len(s.text) && k-i < mostCall && top >= 0 {
		if q := opens(s.text[k:]); q.n > 0 {
			v := value{from: k + q.n, quoted: true}
			v.to = s.quotedEnd(q, v.from)
			if o := &open[top]; o.n < mostArgs && o.literals[o.n].to == 0 {
				o.literals[o.n] = v
			}
			k = min(len(s.text), v.to+q.n)
			continue
		}
		switch s.text[k] {
		case '(':
			depth++
			if from, calls := s.calledAt(k); calls != nil && top+1 < mostNested {
				top++
				open[top] = openCall{calls: calls, from: from, depth: depth}
			}
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case ')':
			if depth--; depth < open[top].depth {
				s.closeCall(&open[top])
				top--
			}
		case ',':
			if depth == open[top].depth {
				open[top].n++
			}
		case ';':
			top = -1
		}
		k++
	}
	s.callTo = k
}

// calledAt returns the index of the name before the parenthesis s.text[i]. It also
// returns the entry of callsByName for that name, or nil if no argument can be a secret.
func (s *scanner) calledAt(i int) (from int, calls []call) {
	var low [longestWord]byte
	from = i
	for from > 0 && i-from < longestWord && class[s.text[from-1]]&wordly != 0 {
		from--
		low[longestWord-(i-from)] = s.text[from]
		if class[s.text[from]]&upper != 0 {
			low[longestWord-(i-from)] |= 0x20
		}
	}
	if use := wordUses[string(low[longestWord-(i-from):])]; use != nil {
		calls = use.calls
	}
	return from, calls
}

// closeCall masks the secret of a call after the arguments were read.
func (s *scanner) closeCall(o *openCall) {
	for _, c := range o.calls {
		at := c.secret - 1
		if c.secret < 0 {
			at = o.n + 1 + c.secret
		}
		if at < 0 || at > min(o.n, mostArgs-1) || !s.qualified(o.from, c.qualifier) {
			continue
		}
		if c.cipher != "" && (c.cipherAt > o.n+1 || !hasPrefix(s.valueText(o.literals[c.cipherAt-1]), c.cipher)) {
			continue
		}
		v := o.literals[at]
		if text := s.valueText(v); text != "" && !placeholder(text) && !redacted(text) && !benignWords(text, true) {
			s.add(v.from, v.to)
		}
	}
}

func (s *scanner) valueText(v value) string { return head(s.text[v.from:v.to]) }

// qualified reports whether the qualifier and a dot, "->" or "::" precede the name
// at i.
func (s *scanner) qualified(i int, qualifier string) bool {
	if qualifier == "" {
		return true
	}
	for _, dot := range []string{".", "->", "::"} {
		if strings.HasSuffix(s.text[:i], dot) {
			from := i - len(dot) - len(qualifier)
			return from >= 0 && strings.EqualFold(s.text[from:from+len(qualifier)], qualifier)
		}
	}
	return false
}

// cipherWords are words of SQL statements that encrypt or decrypt something.
var cipherWords = set("encrypted encryption encrypt decryption decrypt cipher symmetric attach")

// afterCipher reports whether KEY at i belongs to a statement such as "CREATE ...
// ENCRYPTED ... KEY 'x'".
func (s *scanner) afterCipher(i int) bool {
	const reach = 160
	if s.cipherTo == 0 || i-s.cipherTo > reach || i < s.cipherTo || strings.ContainsAny(s.text[s.cipherTo:i], ";:") {
		return false
	}
	return strings.HasPrefix(s.text[i:], "KEY") || strings.HasSuffix(s.text[:s.cipherTo], "attach")
}

// After one of these words, KEY means an index of a database: "duplicate entry for
// KEY 'x'".
var keyOf = set("for of on")
