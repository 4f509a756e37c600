// Command webhook prints each alert that Alertmanager sends, as a line of JSON. It
// exits with 0 when the given receiver gets an alert with the given label:
//
//	webhook -listen 127.0.0.1:9095 -receiver pager -label error_reason=authentication
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

// notification is a notification of Alertmanager. It has only the fields that this
// program reads:
// https://prometheus.io/docs/alerting/latest/configuration/#webhook_config
type notification struct {
	Receiver string  `json:"receiver"`
	Alerts   []alert `json:"alerts"`
}

type alert struct {
	Receiver    string            `json:"receiver"`
	Status      string            `json:"status"` // firing or resolved
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

func main() {
	listen := flag.String("listen", "127.0.0.1:9095", "address that Alertmanager posts to")
	receiver := flag.String("receiver", "pager", "receiver to wait for")
	label := flag.String("label", "error_reason=authentication", "label, as name=value, to wait for")
	timeout := flag.Duration("timeout", time.Minute, "how long to wait")
	flag.Parse()
	name, value, ok := strings.Cut(*label, "=")
	if !ok {
		fmt.Fprintln(os.Stderr, "webhook: -label: want name=value, such as error_reason=authentication")
		os.Exit(2)
	}
	wanted := func(a alert) bool {
		return a.Receiver == *receiver && a.Status == "firing" && a.Labels[name] == value
	}
	ctx, cancel := context.WithTimeout(context.Background(), *timeout)
	defer cancel()
	if err := run(ctx, *listen, wanted); err != nil {
		fmt.Fprintln(os.Stderr, "webhook:", err)
		os.Exit(1)
	}
}

// run prints alerts until wanted returns true for one. If ctx ends first, run
// returns an error.
func run(ctx context.Context, listen string, wanted func(alert) bool) error {
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	alerts := make(chan alert)
	server := &http.Server{ReadHeaderTimeout: 5 * time.Second, Handler: receive(ctx, alerts)}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	defer func() { _ = server.Shutdown(context.WithoutCancel(ctx)) }()

	lines := json.NewEncoder(os.Stdout)
	for {
		select {
		case a := <-alerts:
			if err := lines.Encode(a); err != nil {
				return err
			}
			if wanted(a) {
				return nil
			}
		case err := <-failed:
			return err
		case <-ctx.Done():
			return errors.New("the alert did not arrive")
		}
	}
}

// receive sends the alerts of each notification to a channel.
func receive(ctx context.Context, alerts chan<- alert) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var n notification
		if err := json.NewDecoder(r.Body).Decode(&n); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		for _, a := range n.Alerts {
			a.Receiver = n.Receiver
			select {
			case alerts <- a:
			case <-ctx.Done():
				return
			case <-r.Context().Done():
				return
			}
		}
	}
}
