package mask

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// A language has the words of sentences such as "das Passwort ist X".
type language struct {
	copulas      string // words such as "is", between the name and the value
	conjunctions string // words such as "and", which can follow the value
	// These fields have words that describe a password, such as "falsch". The words are
	// not passwords themselves.
	//   - states has whole words.
	//   - endings has the ends of words.
	//   - prefixes has beginnings of words, and prefixed has ends of words. A word must
	//     have both a beginning and an end from these lists.
	//
	// If a language has no states, an unquoted value is masked only if it looks like a
	// secret.
	states, endings, prefixes, prefixed string
}

// languages lists the languages. The entry for English has no states (words such as
// "wrong" that describe a password), because too many words can follow "the password is".
var languages = []language{
	{copulas: "is", conjunctions: "and"},
	{
		copulas: "ist lautet heißt heisst", conjunctions: "und oder aber",
		states: `falsch leer kurz lang korrekt inkorrekt richtig schwach stark sicher unsicher geheim gleich identisch neu alt gut schlecht bekannt unbekannt nötig weg okay nicht kein keine
			sehr schon noch bereits nur auch jetzt hier dort dasselbe dieselbe unklar defekt kaputt komplett zu leider immer nie wieder anders wichtig null klartext temporär klar egal pflicht`,
		endings: "ig lich bar los haft isch iert elt ert tzt end voll sam pflicht nahme al iv ive", prefixes: "ge ver be er ent zer ab an auf aus ein zu über un nach vor hinter zurück freige", prefixed: "t en",
	},
	{
		copulas: "est était", conjunctions: "et ou mais",
		states: `faux fausse court courte vide long longue faible fort forte bon bonne mauvais mauvaise sûr sûre secret secrète trop pas très déjà encore dans nul nulle vrai vraie nouveau ancien
			simple unique toujours jamais aussi seulement ici là public privé égal complet incomplet même celui correct incorrect obligatoire`,
		endings: "é ée és ées is ise it ite u ue ant ent able ible eux if ive ct cte ide aire oire nel nelle al ale ique ète",
	},
	{
		copulas: "es", conjunctions: "y e o pero",
		states: `débil fuerte mala malo buena bueno larga largo vacía vacío igual falsa falso nula nulo segura seguro insegura inseguro muy demasiado nueva nuevo antigua vieja única común fácil difícil simple
			errónea erróneo así también ahora aquí siempre nunca todavía obvia pública privada grave clave breve inválida inválido válida válido`,
		endings: "ado ada ido ida ados adas to ta able ible oria orio aria ario iva ivo ente ante osa oso al ica ico",
	},
	{
		copulas: "é", conjunctions: "e ou mas",
		states: `fraca fraco forte má mau boa bom longa longo vazia vazio igual falsa falso nula nulo segura seguro insegura inseguro muito não nova novo antiga velha única comum fácil difícil simples assim também
			agora aqui sempre nunca ainda óbvia pública privada grave chave breve errada errado curta curto inválida inválido válida válido`,
		endings: "ado ada ido ida ados adas to ta ável ível ória ório ária ário iva ivo ente ante osa oso al ica ico",
	},
	{
		copulas: "è", conjunctions: "e o ma",
		states: `debole forte vuota vuoto uguale buona buono falsa falso nulla nullo sicura sicuro insicura molto troppo non nuova nuovo vecchia unica comune facile difficile semplice così anche ora qui sempre mai
			ancora ovvia pubblica privata grave chiave breve lunga lungo già valida valido`,
		endings: "ato ata ito ita uto uta to ta so sa abile ibile oria orio aria ario iva ivo ente ante osa oso ale ile ida ido ica ico",
	},
	{copulas: "är er jest je este és adalah"},
}

// asWords can be between a code and its name, as in "482913 als Code".
var asWords = set("as als comme como come som")

// A grammar has the words by which the scanner finds secrets in a sentence.
type grammar struct {
	states, conjunctions        map[string]bool
	endings, prefixes, prefixed []string
}

// grammars has a grammar for each copula, such as "is". If several languages have the
// same copula, its grammar has the words of all these languages.
var grammars = func() map[string]*grammar {
	m := map[string]*grammar{}
	for _, l := range languages {
		for c := range set(l.copulas) {
			t := m[c]
			if t == nil {
				t = &grammar{states: map[string]bool{}, conjunctions: map[string]bool{}}
				m[c] = t
			}
			maps.Copy(t.states, set(l.states))
			maps.Copy(t.conjunctions, set(l.conjunctions))
			t.endings = append(t.endings, strings.Fields(l.endings)...)
			t.prefixes = append(t.prefixes, strings.Fields(l.prefixes)...)
			t.prefixed = append(t.prefixed, strings.Fields(l.prefixed)...)
		}
	}
	return m
}()

var (
	// ofWords are words before an owner, as in "la contraseña del usuario".
	ofWords = set("of for d l de del des der do da di della dell du d für fuer pour para per von vom zum zur au van voor för till dla")
	// articles precede a name.
	articles = set("the a an das der die den dem ein eine la le les l el los las un una une o os as um uma il lo i gli uno")
)

// sentence masks the secret in a sentence such as "la contraseña es X". The copula,
// such as "es", is s.text[i:end].
func (s *scanner) sentence(i, end int, t *grammar) {
	if i < 2 || s.text[i-1] != ' ' || end == len(s.text) || s.text[end] != ' ' && s.text[end] != ':' {
		return
	}
	from := s.nameFrom(i - 1)
	s.codeBefore(from, i-1, end)
	if t == nil {
		return
	}
	n, k := subject(s.text[from : i-1])
	if k == nothing {
		return
	}
	at := end
	for at < len(s.text) && at-end < maxGap && (s.text[at] == ' ' || s.text[at] == ':') {
		at++
	}
	v := s.valueAt(at, false)
	if v.from >= v.to || v.below {
		return
	}
	if v.quoted {
		v = s.trimBlanks(v)
	}
	text := head(s.text[v.from:v.to])
	if k == code && n.isCode(text) || k == password && s.isStated(t, v, text) {
		s.add(v.from, v.to)
	}
}

// trimBlanks returns v without the spaces inside its quotes, as in "« X »".
func (s *scanner) trimBlanks(v value) value {
	const most = 2 // spaces at each end
	for n := 0; n < most && v.from < v.to; n++ {
		v.from += blank(s.text[v.from:v.to])
		if v.from < v.to {
			v.to -= blankBefore(s.text[v.from:v.to])
		}
	}
	return v
}

// subject returns the name of a secret at the end of text, and the kind of the secret. An
// owner can follow the name: "votre code Acme".
func subject(text string) (n name, k kind) {
	n = newName(text)
	const most = nameWords - 1
	last := ""          // the word that was dropped last
	brand := n.words[0] // a brand, if the word begins with a capital
	for depth := 0; depth <= most && n.n > 0; depth++ {
		belongs := depth == 0 || ofWords[last]
		switch k = n.kind(); {
		case n.several:
		case k == code:
			if own := n.isOwnCode(); depth == 0 || belongs && !own || own && (depth == 1 || depth == 2 && belongs) && class[brand[0]]&upper != 0 {
				return n, k
			}
		case k == password && belongs:
			if before := n.wordsBefore(); ofWords[before[0]] || articles[before[0]] && ofWords[before[1]] {
				return n, nothing // the length of the password
			}
			return n, k
		}
		last = n.words[0]
		n.drop()
	}
	return n, nothing
}

// isStated reports whether v is a password, and not a description of one.
func (s *scanner) isStated(t *grammar, v value, text string) bool {
	if benignWords(text, v.quoted) || redacted(text) || placeholder(text) {
		return false
	}
	first, _, several := strings.Cut(text, " ")
	if t.isState(first) || several && !v.quoted {
		return false
	}
	switch {
	case v.quoted, looksSecret(text):
		return true
	case len(t.states) == 0, len(text) < 4, !all(text, lower|upper|nonASCII|dash):
		return false
	}
	return s.endsClause(v.to, t)
}

// isState reports whether the word describes a password, as "falsch" does.
func (t *grammar) isState(word string) bool {
	if t.states[lowerWord(word)] {
		return true
	}
	for _, e := range t.endings {
		if strings.HasSuffix(word, e) {
			return true
		}
	}
	for _, p := range t.prefixes {
		if strings.HasPrefix(word, p) {
			for _, e := range t.prefixed {
				if strings.HasSuffix(word, e) {
					return true
				}
			}
		}
	}
	return false
}

// endsClause reports whether a clause of a sentence ends at i.
func (s *scanner) endsClause(i int, t *grammar) bool {
	const most = 4 // bytes of punctuation
	for n := 0; i < len(s.text) && class[s.text[i]]&(tail|closer|quote|stop) != 0; n++ {
		if i++; n == 0 && s.text[i-1] != '?' || n == most {
			return true
		}
	}
	if i >= len(s.text) || s.text[i] == '\n' || s.text[i] == '\r' || s.text[i] == '\\' {
		return true
	}
	at := s.nextWord(i)
	to := at
	for to < len(s.text) && class[s.text[to]]&lower != 0 && to-at < longestWord {
		to++
	}
	return at < len(s.text) && (s.text[at] == '(' || s.text[at] == '-' || t.conjunctions[s.text[at:to]])
}

// copulaAt masks the secret of a sentence with a copula such as "heißt". The first
// non-ASCII character is at i.
func (s *scanner) copulaAt(i int) {
	for _, c := range oddCopulas {
		from := i - c.ascii
		if strings.HasPrefix(s.text[i:], c.word[c.ascii:]) && strings.HasSuffix(s.text[:i], c.word[:c.ascii]) && from > 0 && s.text[from-1] == ' ' {
			s.sentence(from, from+len(c.word), grammars[c.word])
		}
	}
}

// An oddCopula is a copula with non-ASCII characters, such as "heißt".
type oddCopula struct {
	word  string
	ascii int // bytes before the first non-ASCII character
}

var oddCopulas = func() (all []oddCopula) {
	for c := range grammars {
		if n := strings.IndexFunc(c, func(r rune) bool { return r >= utf8.RuneSelf }); n >= 0 {
			all = append(all, oddCopula{c, n})
		}
	}
	slices.SortFunc(all, func(a, b oddCopula) int { return strings.Compare(a.word, b.word) })
	return all
}()
