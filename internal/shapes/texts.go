package shapes

// A Prefix describes what a runtime or a collector writes before a log line.
type Prefix struct {
	Name    string
	Source  string
	pattern pattern
}

// Prefixes lists the prefixes that the package can read, the most common first.
var Prefixes = []Prefix{
	{"CRI", "https://github.com/kubernetes/design-proposals-archive/blob/main/node/kubelet-cri-logging.md", "%t %s F %m"},
	{"CRI, partial line", "the same", "%t %s P %m"},
	{"kubectl logs --prefix", "kubectl 1.33", "[pod/%*] %m"},
	{"syslog RFC 5424", "https://www.rfc-editor.org/rfc/rfc5424#section-6.5", "<%p>1 %w %w %w %w %w - %m"},
	{"syslog RFC 3164", "https://www.rfc-editor.org/rfc/rfc3164#section-5.4", "<%p>%b %w %*: %m"},
	{"journalctl, syslog files", "systemd 252; rsyslog 8.2302", "%b %w %*: %m"},
}

var prefixPatterns = newPatterns(len(Prefixes), func(i int) pattern { return Prefixes[i].pattern })

// readPrefix returns the prefix of line. Without a prefix, the result has length 0.
func readPrefix(line []byte) (p prefix) {
	for p.depth < maxDepth {
		end, m := onePrefix(line[p.end:], &p.lead)
		if end == 0 {
			break
		}
		p.end += end
		p.stderr = p.stderr || m.stderr
		p.severity = max(p.severity, m.severity)
		p.lead = lead{}
		p.depth++
	}
	return p
}

type prefix struct {
	end, depth int // length of the prefix; number of Prefixes in it
	stderr     bool
	severity   Severity
	lead       lead // of the text after the prefix
}

func onePrefix(line []byte, l *lead) (end int, m matched) {
	if len(line) < len("a | ") {
		return 0, m
	}
	if i, m := prefixPatterns.match(line, l); i >= 0 {
		return m.message, m
	}
	return composePrefix(line), m
}

// composePrefix returns the length of a docker compose prefix: a container, spaces
// and a bar.
func composePrefix(line []byte) int {
	i := 0
	for i < len(line) && line[i] == '\x1b' {
		i = afterColour(line, i)
	}
	if i = run(line, i, keyByte); i < 0 {
		return 0
	}
	start := i
	for i < len(line) && line[i] == ' ' {
		i++
	}
	if i == start || i+1 >= len(line) || line[i] != '|' {
		return 0
	}
	for i++; i < len(line) && line[i] == '\x1b'; {
		i = afterColour(line, i)
	}
	if i == len(line) || line[i] != ' ' {
		return 0
	}
	return i + 1
}

// A Text describes the text lines of one logger.
type Text struct {
	Shape
	pattern pattern
}

// Texts lists the shapes of text lines. A more specific shape comes before a less
// specific one.
var Texts = []Text{
	textShape("klog", "k8s.io/klog/v2 v2.140.0", "%k%d %t%_%d %*] %m"),
	textShape("zap console", "go.uber.org/zap v1.28.0, NewConsoleEncoder", "%t\t%l\t%m"),
	textShape("logrus console", "github.com/sirupsen/logrus v1.10.2, TextFormatter with colours", "%L[%d]%_%m"),
	textShape("Spring Boot", "https://docs.spring.io/spring-boot/reference/features/logging.html", "%T%_%L%_%d%_---%_%m"),
	textShape("loguru", "loguru 0.6.0", "%T | %L%_| %m"),
	textShape("Python logging", "Python 3.11 logging.BASIC_FORMAT", "%L:%*:%m"),
	textShape("nginx", "nginx 1.22.1 error_log", "%T [%l] %d#%d: %m"),
	textShape("Postgres", "PostgreSQL 15.18, log_line_prefix '%m [%p] '", "%T [%d] %L:%_%m"),
	textShape("Postgres with a user", "PostgreSQL 15.18, log_line_prefix '%m [%p] %q%u@%d '", "%T [%d] %w %L:%_%m"),
	textShape("MySQL", "https://dev.mysql.com/doc/refman/8.4/en/error-log-format.html", "%t %d [%l] %m"),
	textShape("HAProxy", "HAProxy 2.6.12", "[%L]%_(%d) : %m"),
	textShape("dmesg -x", "util-linux 2.38 dmesg", "%w%_:%l%_: [%*] %m"),
	textShape("dmesg -r", "util-linux 2.38 dmesg", "<%p>[%*] %m"),
	textShape("syslog without a known header", "https://www.rfc-editor.org/rfc/rfc3164#section-4", "<%p>%m"),
	textShape(".NET console", "https://learn.microsoft.com/dotnet/core/extensions/console-log-formatter#simple", "%l: %n[%d]%m"),
	textShape("Windows events, CSV", "Event Viewer, Save as CSV", "%l,%d/%d/%d %*,%*,%d,%m"),
	textShape("Windows events, text", "wevtutil qe /f:text", "Event[%d]%m"),
	textShape("Apache", "https://httpd.apache.org/docs/2.4/mod/core.html#errorlogformat", "[%w %w %d %t %d] [%?%m"),
	textShape("Ruby Logger", "https://docs.ruby-lang.org/en/master/Logger/Formatter.html", "%w [%t #%d]%_%L%_--%_%m"),
	// These are the formats of zerolog's console, log4j and logback, Python,
	// monolog, gunicorn and Lambda.
	textShape("a time and a level", "log4j-core 2.19.0, logback 1.2.11, Python 3.11 logging, monolog 2.9.1", "%T%?%m"),
	textShape("a time in brackets and a level", "the same", "[%T]%?%m"),
	textShape("a level in brackets", "common", "[%L]%_%m"),
	textShape("a level and a colon", "common", "%L:%_%m"),
}

func textShape(name, source string, p pattern) Text {
	return Text{Shape{Name: name, Source: source}, p}
}

// TextShape returns the shape and the severity of a text line. If no shape fits,
// the shape is nil. The line can have a prefix. If the line has no level, the
// severity is that of the prefix.
func TextShape(line []byte) (*Text, Severity) {
	p := readPrefix(line)
	t, m := matchText(line[p.end:], &p.lead)
	if m.severity == Unknown {
		return t, p.severity
	}
	return t, m.severity
}

// LineSeverity returns the severity of a line of any shape. If the line has several
// records, the highest severity counts.
func (r *Reader) LineSeverity(line []byte) Severity {
	s := Unknown
	if r.Read(line, func(rec *Record) { s = max(s, rec.Severity) }) {
		return s
	}
	_, s = TextShape(line[:lineEnd(line)])
	return s
}

var textPatterns = newPatterns(len(Texts), func(i int) pattern { return Texts[i].pattern })

// matchText returns the first shape that matches line, or nil.
func matchText(line []byte, l *lead) (*Text, matched) {
	if len(line) == 0 || isSpace(line[0]) {
		return nil, matched{}
	}
	i, m := textPatterns.match(line, l)
	if i < 0 {
		return nil, matched{}
	}
	return &Texts[i], m
}
