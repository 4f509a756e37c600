package mask

import (
	"slices"
	"strings"
)

var (
	// codeWords are words for "code". With a word of codeOwners or codeUses, they
	// name a one-time code: "Ihr Code".
	codeWords  = set("code codice código codigo kod kode koodi kód код tan")
	codeOwners = set("your ihr ihre ihren ihrem dein deine deinen euer votre ton su tu seu teu sua tuo suo vostro uw je jouw din ditt twój ваш твой sms")
	codeUses   = set(`connexion connection acceso acesso accesso accès acces verificación verificacion verificação verificacao verifica vérification verification sécurité securite seguridad segurança
		sicurezza confirmation confirmación confirmação conferma validation validación validação validazione activation activación ativação attivazione login inicio sesión autenticación autenticação autenticazione`)
	// otherCodes are words that precede "code" in names of codes that are not secret,
	// such as "error code" and "zip code".
	otherCodes = set("error status exit return response reply zip postal area country city bar qr source byte machine promo coupon discount gift voucher referral invite product item currency language color colour dress course class department branch sort swift bank routing tax reason result key char character")
)

// isOwnCode reports whether the name means a one-time code, such as "your code" or
// "Ihr Code".
func (n *name) isOwnCode() bool {
	words := n.words[:]
	for codeUses[words[0]] && ofWords[words[1]] && len(words) > 3 {
		if words = words[2:]; codeWords[words[0]] {
			return true
		}
	}
	if !codeWords[words[0]] {
		return false
	}
	const between = 2 // words of a brand: your Acme code
	for i, w := range words[1:min(len(words), between+2)] {
		if codeOwners[w] {
			return true
		}
		if otherCodes[w] || w == "" || i == between {
			break
		}
	}
	return false
}

// isCard reports whether n is the name of the security code of a payment card.
func (n *name) isCard() bool {
	return cards[n.words[0]] || n.endsWith(cardsByLast) || n.words[0] == "code" && (cards[n.words[1]] || slices.Contains(n.words[1:], "card"))
}

// isCode reports whether v looks like the value of a code with the name n.
func (n *name) isCode(v string) bool { return isCode(v) || isCardCode(v) && n.isCard() }

// isCardCode reports whether v looks like the security code of a payment card.
func isCardCode(v string) bool {
	const least, most = 3, 4 // digits
	return len(v) >= least && len(v) <= most && all(v, digit)
}

// isCode reports whether v looks like a one-time code, such as 482913, G-482913 or
// AB12-CD34.
func isCode(v string) bool {
	const least, most = 4, 24
	if len(v) < least || len(v) > most || !all(v, upper|digit|dash) && (!strings.Contains(v, "-") || !all(v, lower|digit|dash)) {
		return false
	}
	digits := 0
	for i := range len(v) {
		if class[v[i]]&digit != 0 {
			digits++
		}
	}
	const year, long = 4, 10
	return digits >= year && digits <= long && (all(v, digit) || strings.Contains(v, "-") && !isWords(v))
}

// beforeLetters returns v without the part from the first non-ASCII character on. In
// languages without spaces, the sentence continues directly after a code.
func (s *scanner) beforeLetters(v value) value {
	for i := v.from + 1; i < v.to && i-v.from < maxChecked; i++ {
		if s.text[i] >= 0x80 {
			v.to = i
		}
	}
	return v
}

// codeBefore masks a code before the name: "482913 is your verification code".
//   - s.text[from:to] ends with the code.
//   - s.text[:end] ends with the copula, such as "is".
func (s *scanner) codeBefore(from, to, end int) {
	start := from + strings.LastIndexByte(s.text[from:to], ' ') + 1
	if start == to || class[s.text[to-1]]&digit == 0 && class[s.text[start]]&digit == 0 || !isCode(s.text[start:to]) {
		return
	}
	const words, reach = 6, 60
	at := s.nextWord(end)
	for i, n := at, 0; i < len(s.text) && i-at < reach && n < words; n++ {
		for i < len(s.text) && (class[s.text[i]]&(wordly) != 0 || s.text[i] >= 0x80) && i-at < reach {
			i++
		}
		name := newName(s.text[at:i])
		if k := name.kind(); k == code || k == password {
			s.add(start, to)
			return
		}
		if i >= len(s.text) || s.text[i] != ' ' {
			return
		}
		i++
	}
}
