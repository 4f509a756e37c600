package main

import (
	"encoding/base64"
	"encoding/hex"
	"math/rand/v2"
	"strings"

	"github.com/errclass/errclass/classify"
)

// prefixes are beginnings of lines that loggers and callers write. One number or
// time in each prefix is enough, because the model sees a fixed word in place of
// numbers and times.
var prefixes = []string{
	"ts=2025-03-14T10:00:00Z level=error component=api trace_id=7f0c5a3e msg=",
	"level=warn time=2025-03-14T10:00:00Z caller=app.go:17 msg=",
	"level=error logger=store request_id=91f3 tenant=a user=b msg=",
	"time=2025-03-14T10:00:00Z level=warning service=orders request=42 duration=3ms error=",
	`{"time":"2025-03-14T10:00:00Z","level":"error","logger":"orders","request_id":"91f3","msg":"`,
	"2025-03-14 10:00:00,123 ERROR [main] org.example.Service - ",
	"2025-03-14T10:00:00Z WARN  worker-7 requestId=91f3 c.example.Job : ",
	"[2025-03-14T10:00:00Z] [WARN] (scheduler) ",
	"Jan 28 06:31:02 gw-1 proxy: ",
	"Sep 02 00:00:01 10.0.0.8 daemon: ",
	"<11>1 2025-03-14T10:00:00Z db1 agent 77 - - ",
	"2025/03/14 10:00:00 [error] 31#31: *7 ",
	"error: ",
	"failed to do it: ",
	"handle the job: run the step: ",
	`calling "tools/call": `,
	`calling "initialize": sending "initialize": `,
	"the tool answered with an error: ",
	"rpc error: code = Unknown desc = ",
	"the request to the service did not succeed: ",
	"we could not do what was asked: ",
	"something went wrong while the nightly job was running: ",
	"while importing the products of a shop: ",
	"the page could not be shown to the user: ",
}

// hosts and programs are names in the prefixes of syslog. files are names of Go
// files in the prefixes of klog, which Kubernetes uses.
var (
	hosts = []string{
		"web1", "db-2", "gw", "node5", "ip-10-0-3-4", "localhost", "srv", "edge-7", "host3", "vm12", "mail", "router", "nas", "master-0", "build", "prod-eu",
		"raspberrypi", "k8s-worker", "lab",
	}
	programs = []string{
		"app", "kernel", "systemd", "sshd", "nginx", "dockerd", "kubelet", "CRON", "postfix/smtp", "named", "api", "worker", "svc", "agent", "daemon", "java", "python3",
		"backup", "rsyslogd", "server", "main", "mysqld", "job",
	}
	files = []string{
		"server", "controller", "sync", "main", "reflector", "leaderelection", "kubelet", "reconciler", "manager", "client", "handler", "queue", "event", "watcher", "driver",
		"proxy", "cache",
	}
)

// prefix returns the prefix of the text with the index i. Every second text gets a
// prefix of syslog, and every eighth text a prefix of klog. The other texts get an
// element of prefixes.
func prefix(i int) string {
	switch {
	case i%2 == 1:
		return "Mar 14 10:00:00 " + hosts[i%len(hosts)] + " " + programs[i%len(programs)] + "[123]: "
	case i%8 == 0:
		return "EW"[i/8%2:][:1] + "0314 10:00:00.123456    1 " + files[i/8%len(files)] + ".go:88] "
	default:
		return prefixes[(i/8*3+i%8/2-1)%len(prefixes)]
	}
}

// withVariations adds a copy of each text, with a prefix before it. It also adds some
// texts without meaning. From the copies the model learns that the beginning of a line
// says little about the error. From the texts without meaning it learns to answer with
// the reason unknown.
func withVariations(texts []text) []text {
	meaningless := len(texts) / 50
	all := make([]text, 0, 2*len(texts)+meaningless)
	all = append(all, texts...)
	for i, t := range texts {
		t.Text = prefix(i) + t.Text
		all = append(all, t)
	}
	random := rand.New(rand.NewPCG(2, 2))
	for i := range meaningless {
		all = append(all, text{Text: nonsense(i, random), Reason: classify.ReasonUnknown})
	}
	return all
}

// nonsense returns a random text: words, hexadecimal numbers, base64 or letters of
// another alphabet.
func nonsense(i int, random *rand.Rand) string {
	words := make([]string, 1+random.IntN(40))
	for j := range words {
		data := make([]byte, 3+random.IntN(8))
		for k := range data {
			data[k] = byte(random.IntN(256))
		}
		switch i % 4 {
		case 0:
			for k := range data {
				data[k] = 'a' + data[k]%26
			}
			words[j] = string(data)
		case 1:
			words[j] = hex.EncodeToString(data)
		case 2:
			words[j] = base64.StdEncoding.EncodeToString(data)
		default:
			first := [...]rune{'\u00C0', '\u0430', '\u05D0', '\u3042', '\u4E00', '\uAC00'}[i/4%6]
			for _, c := range data {
				words[j] += string(first + rune(c)%64)
			}
		}
	}
	return strings.Join(words, [...]string{" ", "", "_", "-"}[random.IntN(4)])
}
