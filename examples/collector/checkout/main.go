// Command checkout is a service that calls a payment provider on loopback and logs
// its errors.
package main

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
)

func main() {
	log := slog.New(slog.NewJSONHandler(os.Stdout, nil))
	provider := httptest.NewServer(http.HandlerFunc(answer))
	defer provider.Close()

	log.Info("started", "listen", ":8080")
	for _, amount := range []string{"ok", "declined", "limited"} {
		if err := charge(provider.URL, amount); err != nil {
			log.Error("charge failed", "provider", "anthropic", "err", err, "order", 4711)
			continue
		}
		log.Info("charged", "amount", amount)
	}
}

func charge(url, amount string) error {
	resp, err := http.Post(url, "text/plain", strings.NewReader(amount))
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("POST /charges: %s: %s", resp.Status, body)
	}
	return nil
}

func answer(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	switch string(body) {
	case "declined":
		http.Error(w, `{"error":{"type":"authentication_error","message":"invalid x-api-key"}}`, http.StatusUnauthorized)
	case "limited":
		http.Error(w, `{"error":{"type":"rate_limit_error","message":"Number of requests has exceeded your rate limit"}}`, http.StatusTooManyRequests)
	}
}
