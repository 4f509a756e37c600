package form

import (
	"strings"

	"github.com/errclass/errclass/internal/ascii"
)

// frameLength returns the length of the frame at the beginning of s, or 0. The
// indentation must already be removed.
func frameLength(s string, indented bool) int {
	if len(s) < len("at a:1") {
		return 0
	}
	switch {
	case strings.HasPrefix(s, "at "):
		return callLength(s)
	case strings.HasPrefix(s, "File "):
		return fileLength(s)
	case strings.HasPrefix(s, "... "): // Java: "... 23 more", "... 12 common frames omitted"
		n := len("... ") + ascii.Digits(s[len("... "):])
		for _, end := range [...]string{" more", " common frames omitted"} {
			if n > len("... ") && strings.HasPrefix(s[n:], end) {
				return n + len(end)
			}
		}
	case strings.HasPrefix(s, traceback):
		return len(traceback)
	case strings.HasPrefix(s, "goroutine "):
		n := len("goroutine ") + ascii.Digits(s[len("goroutine "):])
		if i := strings.Index(s, "]:"); i > n && strings.HasPrefix(s[n:], " [") {
			return i + len("]:")
		}
	case s[0] == '#': // PHP: "#0 /srv/a.php(12): f()"; Dart: "#1  f (package:a/a.dart:5:2)"
		if n := 1 + ascii.Digits(s[1:]); n > 1 && strings.HasPrefix(s[n:], " ") && (strings.Contains(s, ".php(") || strings.Contains(s, ".dart:")) {
			return len(s)
		}
	case strings.HasPrefix(s, "from "): // Ruby: "from /srv/a.rb:12:in `f'"
		if strings.Contains(s, ".rb:") && strings.Contains(s, ":in ") {
			return len(s)
		}
	case indented && isGoFile(s):
		return len(s)
	}
	return 0
}

const traceback = "Traceback (most recent call last):"

// callLength returns the length of a frame that begins with "at ". Examples:
//
//	at f (file:///a.js:1:2)
//	at a.b.C.f(C.java:12) ~[c.jar:1]
//	at A.B(String s) in /src/a.cs:line 12
//	at /srv/a.js:1:2
func callLength(s string) int {
	n := len("at ")
	for _, word := range [...]string{"async ", "new ", "get ", "set "} {
		if strings.HasPrefix(s[n:], word) {
			n += len(word)
		}
	}
	name := s[n:]
	for i := range len(name) {
		if c := name[i]; c == ' ' || c == '(' || c == '"' || c == '\'' {
			name = name[:i]
			break
		}
	}
	n += len(name)
	if strings.HasPrefix(s[n:], " [as ") {
		if i := strings.IndexByte(s[n:], ']'); i > 0 {
			n += i + 1
		}
	}
	switch rest := s[n:]; {
	case strings.HasPrefix(rest, " ("):
		location := rest[len(" "):]
		location = location[:parenthesis(location)]
		if !isLocation(strings.Trim(location, "()")) {
			return 0
		}
		return n + len(" ") + len(location)
	case strings.HasPrefix(rest, "("):
		size := parenthesis(rest)
		if strings.IndexByte(name, '.') < 0 || !areParameters(strings.TrimSuffix(rest[1:size], ")")) {
			return 0
		}
		n += size
		return n + afterCall(s[n:])
	default:
		number := len(name) - len(strings.TrimRight(name, "0123456789"))
		if number == 0 || number == len(name) || name[len(name)-number-1] != ':' || !strings.ContainsAny(name, "./") {
			return 0
		}
		if len(rest) > 1 && rest[0] == ' ' && ascii.IsLetter(rest[1]) {
			return 0 // an address such as 10.0.0.1:80, followed by a message
		}
		return n
	}
}

// areParameters reports whether s can be the text in the parentheses of a stack
// frame, such as "Socket.java:183" or "String host, Int32 n". It returns false for
// other text, such as "connection refused".
func areParameters(s string) bool {
	if isLocation(s) {
		return true
	}
	for one := range strings.SplitSeq(s, ",") {
		one = strings.TrimLeft(one, " ")
		kind, name, two := strings.Cut(one, " ")
		if strings.ContainsAny(one, `="`) || strings.HasSuffix(kind, ":") || strings.Contains(name, " ") {
			return false
		}
		if two && 'a' <= kind[0] && kind[0] <= 'z' {
			return false // names of types begin with a capital
		}
	}
	return true
}

// isLocation reports whether s is the location of a function, such as
// "file:///a.js:1:2", or a word that a runtime prints for an unknown location.
func isLocation(s string) bool {
	switch s {
	case "<anonymous>", "native", "native code", "unknown", "Native Method", "Unknown Source":
		return true
	}
	path := strings.TrimRight(s, "0123456789")
	return len(path) < len(s) && strings.HasSuffix(path, ":") || strings.HasPrefix(s, "index ")
}

// parenthesis returns the index after the parenthesis that closes the first "(" of
// s. If no parenthesis closes it, the result is the length of s.
func parenthesis(s string) int {
	open := 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// afterCall returns the length of the text that follows the call in a frame: the
// archive of a Java class, or the file and line that .NET prints.
func afterCall(s string) int {
	const line, longest, longestArchive = ":line ", 512, 256
	if strings.HasPrefix(s, " [") || strings.HasPrefix(s, " ~[") {
		return strings.IndexByte(s[:min(len(s), longestArchive)], ']') + 1
	}
	if !strings.HasPrefix(s, " in ") {
		return 0
	}
	if i := strings.Index(s[:min(len(s), longest)], line); i >= 0 {
		return i + len(line) + ascii.Digits(s[i+len(line):])
	}
	return 0
}

// fileLength returns the length of a Python frame, such as
// `File "a.py", line 12, in f`.
func fileLength(s string) int {
	const line, in = `", line `, ", in "
	n := strings.Index(s, line)
	if n < 0 || strings.Trim(s[len("File "):min(len("File ")+2, n)], `\`) != `"` && s[len("File ")] != '"' {
		return 0
	}
	n += len(line)
	number := ascii.Digits(s[n:])
	if n += number; number == 0 {
		return 0
	}
	if strings.HasPrefix(s[n:], in) {
		n += len(in)
		for n < len(s) && (ascii.IsLetter(s[n]) || ascii.IsDigit(s[n]) || strings.IndexByte("_<>.", s[n]) >= 0 || s[n] >= 0x80) {
			n++
		}
	}
	return n
}

// isGoFile reports whether s is the second line of a Go frame, such as
// "/src/a.go:12 +0x1d".
func isGoFile(s string) bool {
	path, _, _ := strings.Cut(s, " ")
	i := strings.Index(path, ".go:")
	if i < 0 {
		return false
	}
	rest := s[i+len(".go:"):]
	rest = rest[ascii.Digits(rest):]
	if offset, ok := strings.CutPrefix(rest, " +0x"); ok {
		rest = strings.TrimLeft(offset, "0123456789abcdef")
	}
	return strings.TrimRight(rest, "\r") == ""
}

// isGoFunc reports whether line is the first line of a Go frame, such as
// "main.(*T).f(0xc000012345)" or "created by main.g in goroutine 1".
func isGoFunc(line string) bool {
	s := TrimSpaces(line)
	if name, ok := strings.CutPrefix(s, "created by "); ok {
		s, _, _ = strings.Cut(name, " in goroutine ")
	} else if i := strings.LastIndexByte(s, '('); i > 0 && s[len(s)-1] == ')' {
		s = s[:i]
	}
	return strings.IndexByte(s, '.') > 0 && strings.IndexByte(s, ' ') < 0
}
