package chain

import (
	"encoding/json"
	"net/url"
	"reflect"
	"strings"
	"time"

	"github.com/errclass/errclass/classify/internal/collect"
	"github.com/errclass/errclass/classify/internal/collect/hint"
	"github.com/errclass/errclass/classify/internal/collect/response"
)

// readHTTP reads the response of an error: status, headers and body. Any part may be
// missing.
func (w *Walk) readHTTP(s *Shape, err error) {
	if w.Q.Provider == "" {
		w.Q.Provider = s.provider(err)
	}
	status := s.status(err)
	var header map[string][]string
	for _, name := range [...]string{"Response", "RawResponse"} {
		resp := s.field(err, name)
		if !resp.IsValid() || resp.IsNil() {
			continue
		}
		resp = resp.Elem()
		if status == 0 {
			status = asStatus(resp.FieldByName("StatusCode").Int())
		}
		header = headerOf(resp.FieldByName("Header"))
	}
	for _, name := range [...]string{"Header", "Headers"} {
		if header == nil {
			header = headerOf(s.field(err, name))
		}
	}
	if body := w.Body(s, err); status != 0 || header != nil || body != "" {
		response.ReadResponse(w.Q, status, header, body)
	}
}

// providerHosts maps API hosts to providers. The SDK alone does not show the provider,
// because most SDKs can send requests to any server.
var providerHosts = map[string]string{
	"api.anthropic.com":                 "anthropic",
	"api.openai.com":                    "openai",
	"generativelanguage.googleapis.com": "google",
}

// HostProvider implements classify.HostProvider.
func HostProvider(host string) string {
	if len(host) > longestHost {
		return ""
	}
	return providerHosts[strings.ToLower(host)]
}

// longestHost is the greatest length of a host name in bytes (RFC 1035 2.3.4).
const longestHost = 255

// provider returns the provider to which the failed request was sent. Without a
// request, it returns "".
func (s *Shape) provider(err error) string {
	req := s.field(err, "Request")
	if req.Kind() != reflect.Pointer || req.IsNil() || req.Elem().Kind() != reflect.Struct {
		return ""
	}
	u := req.Elem().FieldByName("URL")
	if !u.IsValid() || !u.CanInterface() {
		return ""
	}
	if u, ok := u.Interface().(*url.URL); ok && u != nil && len(u.Host) <= longestHost {
		return HostProvider(u.Hostname())
	}
	return ""
}

// status returns the HTTP status of err, or 0.
func (s *Shape) status(err error) int {
	status := methodStatus(err)
	for _, name := range [...]string{"StatusCode", "HTTPStatusCode", "HTTPCode", "HTTPStatus", "Status"} {
		if v := s.field(err, name); status == 0 && v.IsValid() && v.CanInt() {
			status = asStatus(v.Int())
		}
	}
	if v := s.field(err, "Code"); status == 0 && v.Kind() == reflect.Int && s.apiCode() {
		status = asStatus(v.Int())
	}
	if v := s.field(err, "ErrStatus"); status == 0 && v.IsValid() {
		if code := v.FieldByName("Code"); code.IsValid() && code.CanInt() {
			status = asStatus(code.Int())
		}
	}
	return status
}

func methodStatus(err error) int {
	status := 0
	switch e := err.(type) {
	case interface{ HTTPStatusCode() int }:
		status = e.HTTPStatusCode()
	case interface{ StatusCode() int }:
		status = e.StatusCode()
	case interface{ HTTPCode() int }:
		status = e.HTTPCode()
	case interface{ HTTPStatus() int }:
		status = e.HTTPStatus()
	}
	return asStatus(int64(status))
}

// asStatus returns n if it is the status of a failure, otherwise 0.
func asStatus(n int64) int {
	if n < 400 || n > 599 {
		return 0
	}
	return int(n)
}

func headerOf(v reflect.Value) map[string][]string {
	if !v.IsValid() || v.IsZero() {
		return nil
	}
	header, _ := v.Convert(headerType).Interface().(map[string][]string)
	return header
}

// Body returns the text of the response in err, cut to the budget. It does not read
// the Body of an *http.Response, which belongs to the caller.
func (w *Walk) Body(s *Shape, err error) string {
	if e, ok := err.(interface{ RawJSON() string }); ok {
		all := e.RawJSON()
		raw := collect.BodyOf(w.Q, all)
		if len(raw) == len(all) && raw != "" && s.has("Code") && s.has("Type") && !strings.Contains(raw, `"error"`) {
			raw = `{"error":` + raw + `}` // openai-go removes the outer object
		}
		return raw
	}
	for _, name := range [...]string{"Body", "ResponseBody"} {
		switch v := s.field(err, name); {
		case v.Kind() == reflect.String:
			return collect.BodyOf(w.Q, v.String())
		case v.IsValid():
			return string(collect.BodyOf(w.Q, v.Convert(bytesType).Bytes()))
		}
	}
	if s.has("Code") && s.has("Status") && s.has("Message") && s.has("Details") {
		return w.packed(err)
	}
	return ""
}

// packed encodes a genai.APIError as its original body {"error": err}. If the body is
// too large, packed returns "".
func (w *Walk) packed(err error) string {
	r, ok := openRoom(w.Q)
	defer r.close()
	if !ok || !r.reserve(reflect.ValueOf(err)) {
		return ""
	}
	body, _ := json.Marshal(map[string]any{"error": err})
	return string(body)
}

// readRetryAfter reads a waiting time that an SDK has parsed from a response.
func (w *Walk) readRetryAfter(s *Shape, err error) {
	switch e := err.(type) {
	case interface{ RetryAfter() time.Duration }:
		w.addWait(e.RetryAfter())
	case interface{ RetryAfter() (time.Duration, bool) }:
		if d, ok := e.RetryAfter(); ok {
			w.addWait(d)
		}
	case interface{ RetryAfter() int }:
		w.addWaitSeconds(float64(e.RetryAfter()))
	}
	for _, name := range [...]string{"RetryAfter", "RetryAfterSeconds"} {
		v := s.field(err, name)
		if v.Kind() == reflect.Pointer && !v.IsNil() {
			v = v.Elem()
		}
		switch {
		case !v.IsValid() || v.IsZero():
			// A field of 0 means that the response named no waiting time.
		case v.Type() == reflect.TypeFor[time.Duration]():
			w.addWait(time.Duration(v.Int()))
		case v.CanInt():
			w.addWaitSeconds(float64(v.Int()))
		case v.CanUint():
			w.addWaitSeconds(float64(v.Uint()))
		case v.CanFloat():
			w.addWaitSeconds(v.Float())
		case v.Kind() == reflect.String:
			response.ReadResponse(w.Q, 0, map[string][]string{"Retry-After": {v.String()}}, "")
		}
	}
}

// addWait adds a waiting time that the provider asks for. It ignores a negative d.
func (w *Walk) addWait(d time.Duration) {
	if d >= 0 {
		w.Q.Hint.AddExplicit(min(d, hint.MaxWait))
	}
}

func (w *Walk) addWaitSeconds(n float64) {
	if n >= 0 {
		w.Q.Hint.AddExplicit(hint.WaitSeconds(n))
	}
}

// readCodes reads the codes of API errors, such as those of AWS, OpenAI, Stripe and
// Azure.
func (w *Walk) readCodes(s *Shape, err error) {
	switch e := err.(type) {
	case interface{ ErrorCode() string }:
		response.ReadName(w.Q, e.ErrorCode())
	case interface{ Code() string }:
		response.ReadName(w.Q, e.Code())
	}
	if e, ok := err.(interface{ Reason() string }); ok {
		response.ReadName(w.Q, e.Reason())
	}
	for _, name := range [...]string{"ErrorCode", "Code", "Type"} {
		if code := s.text(err, name); code != "" {
			response.ReadName(w.Q, code)
		}
	}
}

// readTimeout reads the result of the method Timeout. True usually means that a
// remote server took too long. If the error's text ends like a timeout of net/http's
// client, this program's own deadline has passed. The text counts only if the error
// wraps nothing, and its type has none of the fields and methods of a server's answer.
// Otherwise the text may quote a remote server.
func (w *Walk) readTimeout(s *Shape, err error) {
	if !err.(interface{ Timeout() bool }).Timeout() {
		return
	}
	w.seen |= sawTimeout
	if s.Leaf && len(s.fields) == 0 && s.Caps&answerCaps == 0 && endsClientTimeout(w.textOf(err)) {
		w.sawOwnDeadline(clientTimeout)
	}
}

// endsClientTimeout reports whether a text ends like a timeout of net/http's client.
// A remote server may have written the rest.
func endsClientTimeout(text string) bool {
	return strings.HasSuffix(text, "(Client.Timeout exceeded while awaiting headers)") ||
		strings.HasSuffix(text, "(Client.Timeout or context cancellation while reading body)")
}
