package resilience_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience"
)

// These are events in the format of several providers.
const (
	anthropicOverloaded = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n"
	anthropicKey        = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"authentication_error\",\"message\":\"invalid x-api-key\"}}\n\n"
	openaiLimited       = `data: {"error":{"message":"Rate limit reached","type":"requests","param":null,"code":"rate_limit_exceeded"}}` + "\n\n"
	openaiFailed        = "event: response.failed\ndata: {\"type\":\"response.failed\",\"sequence_number\":3,\"response\":{\"id\":\"resp_1\",\"status\":\"failed\"," +
		"\"error\":{\"code\":\"server_error\",\"message\":\"The model failed\"},\"instructions\":\""
	googleUnavailable = `data: {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}` + "\r\n\r\n"
	routerFailed      = `data: {"id":"gen-1","object":"chat.completion.chunk","error":{"code":502,"message":"Provider disconnected"},` +
		`"choices":[{"delta":{"content":""},"finish_reason":"error"}]}` + "\n\n"

	anthropicStart = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"role\":\"assistant\"}}\n\n"
	anthropicDelta = "event: content_block_delta\ndata: {\"delta\":{\"type\":\"text_delta\",\"text\":\"an {\\\"error\\\":{\\\"code\\\":429}} and \\n\\nevent: error\"}}\n\n"
	ollamaChunk    = `{"model":"m","message":{"role":"assistant","content":"an {\"error\":\"429\"}"},"done":false}` + "\n"
	ollamaFailed   = `{"error":"server busy, please try again.  maximum pending requests exceeded"}` + "\n"

	openaiChunk = `data: {"id":"c-1","error":null,"choices":[{"delta":{"content":"hi"}}]}` + "\n\n"
)

var (
	streamHeader = http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}}
	jsonHeader   = http.Header{"Content-Type": {"application/json"}}
	linesHeader  = http.Header{"Content-Type": {"application/x-ndjson"}}
	frameHeader  = http.Header{"Content-Type": {"application/vnd.amazon.eventstream"}}
)

// frame encodes a message of an Amazon event stream. headers has names and values in
// turn. The format is described at
// https://smithy.io/2.0/aws/amazon-eventstream.html.
func frame(payload string, headers ...string) string {
	var h []byte
	for i := 0; i < len(headers); i += 2 {
		h = append(append(h, byte(len(headers[i]))), headers[i]...)
		h = append(binary.BigEndian.AppendUint16(append(h, 7), uint16(len(headers[i+1]))), headers[i+1]...)
	}
	b := binary.BigEndian.AppendUint32(nil, uint32(16+len(h)+len(payload)))
	b = binary.BigEndian.AppendUint32(b, uint32(len(h)))
	b = append(append(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b)), h...), payload...)
	return string(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b)))
}

// hostileFrame encodes two lengths, which can be wrong, and their CRC.
func hostileFrame(total, headers uint32) string {
	b := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, total), headers)
	return string(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b)))
}

// exceptionFrame encodes an exception of Bedrock.
func exceptionFrame(kind, payload string) string {
	return frame(payload, ":exception-type", kind, ":content-type", "application/json", ":message-type", "exception")
}

var (
	bedrockLimited = exceptionFrame("throttlingException", `{"message":"Too many requests, please wait before trying again."}`)
	bedrockFailed  = exceptionFrame("modelStreamErrorException", `{"message":"The model failed","originalStatusCode":500}`)
	bedrockChunk   = frame(`{"bytes":"ZXJyb3I="}`, ":event-type", "chunk", ":content-type", "application/json", ":message-type", "event")
)

// A response with status 200 is a failure if its body begins with an error.
func TestTransport_FirstEvent(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 5000)
	for _, tt := range []struct {
		name   string
		header http.Header
		status int // 0 = 200
		body   string
		want   classify.Reason // "" if the response is not a failure
	}{
		{name: "Anthropic", body: anthropicOverloaded, want: classify.ReasonTransient},
		{name: "Anthropic, a dead key", body: anthropicKey, want: classify.ReasonAuthentication},
		{name: "OpenAI", body: openaiLimited, want: classify.ReasonRateLimit},
		{name: "OpenAI, responses", body: openaiFailed + "short\"}}\n\n", want: classify.ReasonTransient},
		{name: "OpenAI, responses, longer than what is read", body: openaiFailed + long + "\"}}\n\n", want: classify.ReasonTransient},
		{name: "Google", body: googleUnavailable, want: classify.ReasonTransient},
		{name: "OpenRouter", body: routerFailed, want: classify.ReasonTransient},
		{name: "after comments and fields without data", body: ": PROCESSING\n\nretry: 100\n\nevent: ping\n\n" + anthropicOverloaded, want: classify.ReasonTransient},
		{name: "after a byte order mark", body: "\xef\xbb\xbf" + googleUnavailable, want: classify.ReasonTransient},
		{name: "carriage returns alone", body: strings.ReplaceAll(anthropicOverloaded, "\n", "\r"), want: classify.ReasonTransient},
		{name: "text as data, with carriage returns", body: "event: error\r\ndata: 503 Service Unavailable\r\n\r\n", want: classify.ReasonTransient},
		{name: "data over several lines", body: "data: {\"error\":\ndata:{\"code\":503}}\n\n", want: classify.ReasonTransient},
		{name: "without its last line", body: strings.TrimSpace(openaiLimited), want: classify.ReasonRateLimit},
		{name: "text as data", body: "event: error\ndata: 503 Service Unavailable\n\n", want: classify.ReasonTransient},
		{name: "a string as error", body: "data: {\"error\":\"Model is overloaded\",\"error_type\":\"overloaded\"}\n\n", want: classify.ReasonTransient},
		{name: "JSON that calls itself a stream", body: `{"error":{"code":503,"message":"overloaded"}}`, want: classify.ReasonTransient},
		{name: "JSON, Anthropic", header: jsonHeader, body: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, want: classify.ReasonTransient},
		{name: "JSON, OpenAI", header: jsonHeader, body: "\n{\"error\":{\"message\":\"Rate limit reached\",\"code\":\"rate_limit_exceeded\"}}\n", want: classify.ReasonRateLimit},
		{name: "JSON, a list of Google", header: jsonHeader, body: `[{"error": {"code": 503, "message": "overloaded"}}]`, want: classify.ReasonTransient},
		{name: "JSON, vLLM", header: jsonHeader, body: `{"object":"error","message":"overloaded","code":503}`, want: classify.ReasonTransient},
		{name: "JSON of another media type", header: http.Header{"Content-Type": {"application/problem+json"}}, body: `{"error":{"code":503}}`, want: classify.ReasonTransient},
		{name: "JSON, longer than what is read", header: jsonHeader, body: `{"error":{"code":503},"text":"` + long + `"}`, want: classify.ReasonTransient},
		{name: "JSON lines, Ollama", header: linesHeader, body: "\r\n" + ollamaFailed, want: classify.ReasonTransient},
		{name: "JSON lines, without a line feed", header: linesHeader, body: strings.TrimSpace(ollamaFailed), want: classify.ReasonTransient},
		{name: "JSON lines, another name", header: http.Header{"Content-Type": {"application/jsonl; charset=utf-8"}}, body: `{"error":{"code":503}}` + "\n", want: classify.ReasonTransient},
		{name: "Bedrock", header: frameHeader, body: bedrockLimited, want: classify.ReasonRateLimit},
		{name: "Bedrock, the model", header: frameHeader, body: bedrockFailed, want: classify.ReasonTransient},
		{name: "Bedrock, unavailable", header: frameHeader, body: exceptionFrame("serviceUnavailableException", `{}`), want: classify.ReasonTransient},
		{name: "Bedrock, internal", header: frameHeader, body: exceptionFrame("internalServerException", `{"message":"x"}`), want: classify.ReasonTransient},
		{name: "Bedrock, too long", header: frameHeader, body: exceptionFrame("validationException", `{"message":"Input is too long for requested model."}`), want: classify.ReasonContextOverflow},
		{name: "Bedrock, text as payload", header: frameHeader, body: exceptionFrame("throttlingException", "Too many"), want: classify.ReasonRateLimit},
		{name: "Bedrock, cut off", header: frameHeader, body: bedrockLimited[:len(bedrockLimited)-10], want: classify.ReasonRateLimit},
		{name: "Bedrock, longer than what is read", header: frameHeader, body: exceptionFrame("throttlingException", `{"message":"`+long+`"}`), want: classify.ReasonRateLimit},
		{name: "Bedrock, an error without a model", header: frameHeader, body: frame("", ":message-type", "error", ":error-code", "InternalFailure", ":error-message", "internal \"error\""), want: classify.ReasonTransient},

		{name: "an event without data, then an answer", body: "event: error\n\n" + openaiChunk},
		{name: "a status of its own", status: 202, body: anthropicOverloaded},
		{name: "an answer", body: anthropicStart + anthropicOverloaded},
		{name: "an answer of OpenAI", body: openaiChunk + openaiLimited},
		{name: "an answer that speaks of errors", body: anthropicDelta + anthropicOverloaded},
		{name: "a long answer", body: "data: " + long + "\n\n"},
		{name: "an error of a JSON-RPC method", body: `data: {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"overloaded"}}` + "\n\n"},
		{name: "an empty error", body: "data: {\"error\":{ },\"status\":503}\n\n"},
		{name: "not JSON", body: "data: {\"error\":{overloaded 503\n\n"},
		{name: "an empty stream", body: ""},
		{name: "lines that are empty", body: "\n\n\n\n"},
		{name: "compressed for the client", header: http.Header{"Content-Type": {"text/event-stream"}, "Content-Encoding": {"gzip"}}, body: anthropicOverloaded},
		{name: "JSON lines, an answer", header: linesHeader, body: ollamaChunk + ollamaFailed},
		{name: "JSON lines, data with a key for errors", header: linesHeader, body: `{"job":1,"error":"connection reset"}` + "\n"},
		{name: "JSON lines, no error", header: linesHeader, body: `{"error":""}` + "\n"},
		{name: "JSON lines, a long line", header: linesHeader, body: `{"text":"` + long + `","error":"overloaded"}` + "\n"},
		{name: "JSON, an answer", header: jsonHeader, body: `{"id":"1","error":{"code":503,"message":"overloaded"}}`},
		{name: "JSON, no error", header: jsonHeader, body: `{"error":null,"code":503}`},
		{name: "JSON, a string as error", header: jsonHeader, body: `{"error":"overloaded"}`},
		{name: "JSON, another type", header: jsonHeader, body: `{"type":"message","error":{"code":503}}`},
		{name: "JSON, empty", header: jsonHeader, body: `{}`},
		{name: "JSON, cut off", header: jsonHeader, body: `{"err`},
		{name: "JSON, not at all", header: jsonHeader, body: `overloaded`},
		{name: "Bedrock, an answer", header: frameHeader, body: bedrockChunk + bedrockLimited},
		{name: "Bedrock, a long answer", header: frameHeader, body: frame(long, ":message-type", "event")},
		{name: "Bedrock, a message without headers", header: frameHeader, body: frame("{}") + bedrockLimited},
		{name: "Bedrock, a wrong CRC", header: frameHeader, body: bedrockLimited[:8] + "abcd" + bedrockLimited[12:]},
		{name: "Bedrock, cut off in the headers", header: frameHeader, body: bedrockLimited[:60]},
		{name: "Bedrock, more headers than bytes", header: frameHeader, body: hostileFrame(40, 30) + bedrockLimited},
		{name: "Bedrock, the longest headers", header: frameHeader, body: hostileFrame(1<<32-1, 1<<32-17) + long},
		{name: "Bedrock, shorter than its prelude", header: frameHeader, body: hostileFrame(1, 0) + bedrockLimited},
		{name: "another media type", header: http.Header{"Content-Type": {"text/plain"}}, body: anthropicOverloaded},
		{name: "no media type", header: http.Header{}, body: `{"error":{"code":503}}`},
	} {
		if tt.header == nil {
			tt.header = streamHeader
		}
		for _, piece := range []int{1, 7, 1 << 20} { // bytes per Read
			t.Run(fmt.Sprint(tt.name, " in pieces of ", piece), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					start, seen := time.Now(), new(events)
					var bodies []*trackedBody
					base := roundTrip(func(*http.Request) (*http.Response, error) {
						b := &trackedBody{Reader: chunkReader{strings.NewReader(tt.body), piece}}
						bodies = append(bodies, b)
						return &http.Response{StatusCode: max(tt.status, 200), Header: tt.header, Body: b, ContentLength: -1}, nil
					})
					resp, err := resilience.NewTransport(base, executor(t, enabled(), resilience.WithObserver(seen.observe))).
						RoundTrip(request(t, http.MethodGet, ""))
					require.NoError(t, err)
					calls := 1
					if tt.want != "" {
						calls = classify.Result{Reason: tt.want, Category: classify.CategoryRetryable}.Policy().Calls()
					}
					require.Len(t, bodies, calls)
					attempts := seen.ofKind(resilience.KindAttempt)
					require.Len(t, attempts, calls)
					for _, a := range attempts {
						assert.Equal(t, tt.want, a.Result.Reason)
						failure, failed := errors.AsType[*resilience.ResponseError](a.Err)
						require.Equal(t, tt.want != "", failed)
						if failed {
							assert.Equal(t, 200, failure.StatusCode)
							assert.NotEmpty(t, failure.Body)
							assert.LessOrEqual(t, len(failure.Body), 4096)
						}
					}
					if calls == 1 {
						assert.Zero(t, time.Since(start), "no latency is added")
					}
					assert.Equal(t, max(tt.status, 200), resp.StatusCode)
					got, err := io.ReadAll(resp.Body)
					require.NoError(t, err)
					assert.Equal(t, tt.body, string(got))
					require.NoError(t, resp.Body.Close())
					for i, b := range bodies {
						assert.Equal(t, 1, b.closed, "response %d", i)
					}
				})
			})
		}
	}
}

// A stream that begins with an error has the effects of a failed response.
func TestTransport_FirstEventActs(t *testing.T) {
	t.Parallel()
	t.Run("the gate holds", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			header := http.Header{"Content-Type": {"text/event-stream"}, "Retry-After": {"20"}}
			base := &server{steps: []step{{status: 200, header: header, body: openaiLimited}, {status: 200, header: streamHeader, body: openaiChunk}}}
			x := executor(t, enabled())
			transport := resilience.NewTransport(base, x)
			var wg sync.WaitGroup
			for range 10 {
				wg.Go(func() {
					resp, err := transport.RoundTrip(request(t, http.MethodGet, ""))
					if assert.NoError(t, err) {
						got, _ := io.ReadAll(resp.Body)
						assert.Equal(t, openaiChunk, string(got))
						assert.NoError(t, resp.Body.Close())
					}
				})
				synctest.Wait()
			}
			assert.Equal(t, 20*time.Second, x.Breakers().Snapshot()[0].Hold)
			wg.Wait()
			assert.Equal(t, 20*time.Second, time.Since(start).Truncate(time.Second))
			assert.Len(t, base.requests, 11)
		})
	})
	t.Run("another target takes over", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			base := roundTrip(func(r *http.Request) (*http.Response, error) {
				text := anthropicOverloaded
				if r.URL.Host == "b.example" {
					text = anthropicStart
				}
				return &http.Response{StatusCode: 200, Header: streamHeader, Body: newBody(text), ContentLength: -1}, nil
			})
			both := resilience.WithCall(func(*http.Request) resilience.Call {
				return resilience.Call{Targets: []resilience.Target{primary, secondary}}
			})
			resp, err := resilience.NewTransport(base, executor(t, enabled()), both).RoundTrip(request(t, http.MethodGet, ""))
			require.NoError(t, err)
			got, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			assert.Equal(t, anthropicStart, string(got))
		})
	})
	t.Run("the breaker opens", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			base := &server{steps: []step{{status: 200, header: streamHeader, body: anthropicOverloaded}}}
			x := executor(t, enabled())
			transport := resilience.NewTransport(base, x)
			for range 2 {
				_, err := transport.RoundTrip(request(t, http.MethodGet, ""))
				require.NoError(t, err)
			}
			assert.Equal(t, resilience.BreakerOpen, x.Breakers().Snapshot()[0].State)
		})
	})
	for _, tt := range []struct {
		name  string
		opts  []resilience.TransportOption
		first string
		calls int
	}{
		{name: "a POST is not repeated", first: anthropicOverloaded, calls: 1},
		{name: "a POST to a model is repeated", opts: []resilience.TransportOption{resilience.WithModelAPIs()}, first: anthropicOverloaded, calls: 2},
		{name: "a POST to a model that broke off is not", opts: []resilience.TransportOption{resilience.WithModelAPIs()}, first: "event: mess", calls: 1},
		{name: "a POST as told that broke off is", opts: []resilience.TransportOption{resilience.WithMethods("POST")}, first: "event: mess", calls: 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				base := roundTrip(func(*http.Request) (*http.Response, error) {
					calls++
					body := io.Reader(strings.NewReader(anthropicStart))
					if calls == 1 {
						body = io.MultiReader(strings.NewReader(tt.first), iotestErr(io.ErrUnexpectedEOF))
					}
					return &http.Response{StatusCode: 200, Header: streamHeader, Body: io.NopCloser(body), ContentLength: -1}, nil
				})
				seen := new(events)
				r := request(t, http.MethodPost, "text")
				r.URL.Path = "/v1/messages"
				resp, err := resilience.NewTransport(base, executor(t, enabled(), resilience.WithObserver(seen.observe)), tt.opts...).RoundTrip(r)
				require.NoError(t, err)
				assert.Equal(t, tt.calls, calls)
				got, err := io.ReadAll(resp.Body)
				if tt.calls == 1 {
					assert.Equal(t, tt.first, string(got))
					require.Equal(t, io.ErrUnexpectedEOF, err)
				} else {
					assert.Equal(t, anthropicStart, string(got))
					require.NoError(t, err)
				}
				assert.Empty(t, seen.ofKind(resilience.KindStream), "an attempt's failure is reported once")
			})
		})
	}
}

// arrival is a chunk of a body and the time at which the chunk arrives.
type arrival struct {
	at   time.Duration
	text string
	err  error
}

// arriving returns a body whose chunks arrive at the given times.
func arriving(all ...arrival) io.ReadCloser {
	r, w := io.Pipe()
	start := time.Now()
	go func() {
		for _, a := range all {
			time.Sleep(time.Until(start.Add(a.at)))
			if _, err := io.WriteString(w, a.text); err != nil {
				return // closed
			}
			if a.err != nil {
				_ = w.CloseWithError(a.err)
				return
			}
		}
		_ = w.Close()
	}()
	return r
}

// The client gets the response after the first event, or after 250 ms.
func TestTransport_FirstEventLatency(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	for _, tt := range []struct {
		name   string
		body   []arrival
		opts   []resilience.TransportOption
		header http.Header
		resp   time.Duration   // time until RoundTrip returns
		reads  []time.Duration // time until the client has read each chunk
		calls  int
	}{
		{name: "at once", body: []arrival{{text: openaiChunk}, {at: time.Second, text: openaiChunk}}, reads: []time.Duration{0, time.Second}, calls: 1},
		{name: "soon", body: []arrival{{at: 100 * ms, text: openaiChunk}, {at: time.Second, text: openaiChunk}}, resp: 100 * ms, reads: []time.Duration{100 * ms, time.Second}, calls: 1},
		{name: "late", body: []arrival{{at: time.Hour, text: openaiChunk}}, resp: 250 * ms, reads: []time.Duration{time.Hour}, calls: 1},
		{name: "half of it", body: []arrival{{text: openaiChunk[:10]}, {at: time.Second, text: openaiChunk[10:]}}, resp: 250 * ms, reads: []time.Duration{250 * ms, time.Second}, calls: 1},
		{name: "a late error", body: []arrival{{at: time.Second, text: anthropicOverloaded}}, resp: 250 * ms, reads: []time.Duration{time.Second}, calls: 1},
		{
			name: "told to wait longer", body: []arrival{{at: time.Second, text: anthropicOverloaded}},
			opts: []resilience.TransportOption{resilience.WithFirstEventWait(2 * time.Second)},
			resp: 4500 * ms, reads: []time.Duration{4500 * ms}, calls: 3, // 3 × 1 s, and pauses of 0.5 and 1 s
		},
		{
			name: "told not to wait", body: []arrival{{text: anthropicOverloaded}}, calls: 1, reads: []time.Duration{0},
			opts: []resilience.TransportOption{resilience.WithFirstEventWait(0)},
		},
		{name: "JSON", header: jsonHeader, body: []arrival{{text: `[{"candidates"`}, {at: time.Second, text: `:[]}]`}}, reads: []time.Duration{0, time.Second}, calls: 1},
		{name: "JSON that may be an error", header: jsonHeader, body: []arrival{{text: `[{"error":{`}, {at: time.Second, text: `}}]`}}, resp: 250 * ms, reads: []time.Duration{250 * ms, time.Second}, calls: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start, calls := time.Now(), 0
				if tt.header == nil {
					tt.header = streamHeader
				}
				base := roundTrip(func(*http.Request) (*http.Response, error) {
					calls++
					return &http.Response{StatusCode: 200, Header: tt.header, Body: arriving(tt.body...), ContentLength: -1}, nil
				})
				resp, err := resilience.NewTransport(base, executor(t, enabled()), tt.opts...).RoundTrip(request(t, http.MethodGet, ""))
				require.NoError(t, err)
				assert.Equal(t, tt.calls, calls)
				assert.Equal(t, tt.resp, time.Since(start))
				for i, want := range tt.reads {
					text := make([]byte, len(tt.body[i].text))
					_, err := io.ReadFull(resp.Body, text)
					require.NoError(t, err)
					assert.Equal(t, tt.body[i].text, string(text))
					assert.Equal(t, want, time.Since(start))
				}
				_, err = resp.Body.Read(make([]byte, 1))
				assert.Equal(t, io.EOF, err)
				require.NoError(t, resp.Body.Close())
			})
		})
	}
}

// If a body has a later error, observers get one event, and the client gets all bytes.
func TestTransport_LaterInTheStream(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		header http.Header
		status int
		body   string
		end    error
		want   classify.Reason // "" for no event
	}{
		{name: "Anthropic", body: anthropicStart + anthropicOverloaded, want: classify.ReasonTransient},
		{name: "several", body: openaiChunk + openaiLimited + anthropicOverloaded + openaiLimited, end: io.ErrUnexpectedEOF, want: classify.ReasonRateLimit},
		{name: "Google", body: openaiChunk + googleUnavailable + openaiChunk, want: classify.ReasonTransient},
		{name: "OpenRouter", body: openaiChunk + routerFailed, want: classify.ReasonTransient},
		{name: "a long response", body: openaiChunk + openaiFailed + strings.Repeat("x", 10000) + "\"}}\n\n" + openaiLimited, want: classify.ReasonTransient},
		{name: "a long error", body: openaiChunk + "event: error\ndata: {\"error\":{\"code\":503}}\ndata: " + strings.Repeat("x", 10000) + "\n\n", want: classify.ReasonTransient},
		{name: "broken off", body: anthropicStart + "event: cont", end: io.ErrUnexpectedEOF, want: classify.ReasonNetwork},
		{name: "reset", body: anthropicStart, end: errNetwork, want: classify.ReasonNetwork},
		{name: "a file that is broken off", header: http.Header{}, body: "text", end: io.ErrUnexpectedEOF, want: classify.ReasonNetwork},
		{name: "JSON that is broken off", header: jsonHeader, body: `{"id":1`, end: io.ErrUnexpectedEOF, want: classify.ReasonNetwork},
		{name: "a part that is broken off", header: http.Header{}, status: 206, body: "text", end: io.ErrUnexpectedEOF, want: classify.ReasonNetwork},
		{name: "Ollama", header: linesHeader, body: ollamaChunk + ollamaChunk + ollamaFailed, want: classify.ReasonTransient},
		{name: "Ollama, without a line feed", header: linesHeader, body: ollamaChunk + "\n" + strings.TrimSpace(ollamaFailed), want: classify.ReasonTransient},
		{name: "JSON lines, other keys", header: linesHeader, body: ollamaChunk + `{"status":503,"error":"Service Unavailable"}` + "\r\n" + ollamaFailed, want: classify.ReasonTransient},
		{name: "JSON lines, no error", header: linesHeader, body: strings.Repeat(ollamaChunk, 100) + `{"error":null,"done":true}` + "\n"},
		{name: "JSON lines that are broken off", header: linesHeader, body: ollamaChunk + `{"error":"res`, end: io.ErrUnexpectedEOF, want: classify.ReasonNetwork},
		{name: "Bedrock", header: frameHeader, body: bedrockChunk + frame(strings.Repeat("x", 10000), ":message-type", "event") + bedrockLimited + bedrockFailed, want: classify.ReasonRateLimit},
		{name: "Bedrock, cut off", header: frameHeader, body: bedrockChunk + bedrockFailed[:len(bedrockFailed)-6], want: classify.ReasonTransient},
		{name: "Bedrock, no error", header: frameHeader, body: strings.Repeat(bedrockChunk, 100)},
		{name: "Bedrock, broken", header: frameHeader, body: bedrockChunk + "garbage of many bytes" + bedrockFailed},
		{name: "no error", body: anthropicStart + anthropicDelta + strings.Repeat(openaiChunk, 100)},
		{name: "no stream", header: http.Header{"Content-Type": {"text/plain"}}, body: anthropicOverloaded},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				if tt.header == nil {
					tt.header = streamHeader
				}
				seen, statuses, calls := new(events), new(resilience.Statuses), 0
				base := roundTrip(func(*http.Request) (*http.Response, error) {
					calls++
					body := io.Reader(chunkReader{strings.NewReader(tt.body), 11})
					if tt.end != nil {
						body = io.MultiReader(body, iotestErr(tt.end))
					}
					return &http.Response{StatusCode: max(tt.status, 200), Header: tt.header, Body: io.NopCloser(body), ContentLength: -1}, nil
				})
				call := resilience.WithCall(func(*http.Request) resilience.Call {
					return resilience.Call{Key: "k", Agent: "a", Targets: []resilience.Target{primary}}
				})
				x := executor(t, enabled(), resilience.WithObserver(seen.observe), resilience.WithObserver(statuses.Observe))
				resp, err := resilience.NewTransport(base, x, call).RoundTrip(request(t, http.MethodGet, ""))
				require.NoError(t, err)
				got, err := io.ReadAll(resp.Body)
				assert.Equal(t, tt.end, err)
				assert.Equal(t, tt.body, string(got))
				assert.Equal(t, 1, calls)
				status, _ := statuses.Status("k")
				told := seen.ofKind(resilience.KindStream)
				if tt.want == "" {
					assert.Empty(t, told)
					assert.Equal(t, resilience.PhaseSucceeded, status.Phase)
					return
				}
				require.Len(t, told, 1)
				assert.Equal(t, tt.want, told[0].Result.Reason)
				assert.Equal(t, resilience.Event{
					Kind: resilience.KindStream, Key: "k", Agent: "a", Target: primary, Attempt: 1,
					Time: told[0].Time, Result: told[0].Result, Err: told[0].Err,
				}, told[0])
				if tt.want == classify.ReasonNetwork {
					assert.Equal(t, tt.end, told[0].Err)
				} else {
					failure, ok := errors.AsType[*resilience.ResponseError](told[0].Err)
					require.True(t, ok)
					assert.Regexp(t, `"error"|"__type"`, string(failure.Body))
					assert.LessOrEqual(t, len(failure.Body), 4096)
				}
				assert.Equal(t, resilience.PhaseFailed, status.Phase)
				assert.Equal(t, tt.want, status.Last.Reason)
				assert.Zero(t, x.Breakers().Snapshot()[0].Failures)
			})
		})
	}
}

// If the client itself ends a stream, observers get no event.
func TestTransport_ClientEndsStream(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Close", "cancel", "deadline"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				seen := new(events)
				base := roundTrip(func(r *http.Request) (*http.Response, error) {
					reader, writer := io.Pipe()
					context.AfterFunc(r.Context(), func() { _ = writer.CloseWithError(errNetwork) })
					go func() { _, _ = io.WriteString(writer, anthropicStart) }()
					return &http.Response{StatusCode: 200, Header: streamHeader, Body: reader, ContentLength: -1}, nil
				})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if name == "deadline" {
					ctx, cancel = context.WithTimeout(ctx, time.Second)
					defer cancel()
				}
				resp, err := resilience.NewTransport(base, executor(t, enabled(), resilience.WithObserver(seen.observe))).
					RoundTrip(request(t, http.MethodGet, "").WithContext(ctx))
				require.NoError(t, err)
				switch name {
				case "Close":
					time.AfterFunc(time.Second, func() { assert.NoError(t, resp.Body.Close()) })
				case "cancel":
					time.AfterFunc(time.Second, cancel)
				}
				got, err := io.ReadAll(resp.Body)
				require.Error(t, err)
				assert.Equal(t, anthropicStart, string(got))
				assert.Empty(t, seen.ofKind(resilience.KindStream))
				require.NoError(t, resp.Body.Close())
			})
		})
	}
}

// The client may close a stream that has not sent anything yet.
func TestTransport_CloseSilentStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		base := roundTrip(func(*http.Request) (*http.Response, error) {
			silent, _ := io.Pipe()
			return &http.Response{StatusCode: 200, Header: streamHeader, Body: silent, ContentLength: -1}, nil
		})
		start := time.Now()
		resp, err := resilience.NewTransport(base, executor(t, enabled())).RoundTrip(request(t, http.MethodGet, ""))
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		assert.Equal(t, 250*time.Millisecond, time.Since(start))
	})
}

// Many streams share a transport. Each begins with an error, so the request is
// repeated.
func TestTransport_ManyStreams(t *testing.T) {
	t.Parallel()
	answer := strings.Repeat(anthropicStart+anthropicDelta, 20)
	for _, n := range []int{1, 10, 1000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var asked sync.Map
				srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					before, _ := asked.LoadOrStore(r.URL.Path, new(atomic.Int32))
					w.Header().Set("Content-Type", "text/event-stream")
					out, flush := io.Writer(w), http.NewResponseController(w).Flush
					if r.URL.Query().Has("gzip") {
						w.Header().Set("Content-Encoding", "gzip")
						z := gzip.NewWriter(w)
						defer func() { _ = z.Close() }()
						out, flush = z, func() error { return errors.Join(z.Flush(), http.NewResponseController(w).Flush()) }
					}
					if before.(*atomic.Int32).Add(1) == 1 {
						time.Sleep(10 * time.Millisecond) // simultaneous failures count once for the breaker
						_, _ = io.WriteString(out, anthropicOverloaded)
						return
					}
					for _, part := range strings.SplitAfter(answer, "\n\n") {
						_, _ = io.WriteString(out, part)
						_ = flush()
						time.Sleep(10 * time.Millisecond)
					}
					if r.URL.Query().Has("cut") {
						panic(http.ErrAbortHandler)
					}
					_, _ = io.WriteString(out, openaiLimited)
				})}
				listener := newPipes()
				go func() { _ = srv.Serve(listener) }() // returns after Close
				seen := new(events)
				base := &http.Transport{DialContext: listener.dial}
				client := &http.Client{Transport: resilience.NewTransport(base,
					executor(t, enabled(), resilience.WithObserver(seen.observe)), resilience.WithModelAPIs())}
				var wg sync.WaitGroup
				for i := range n {
					query, end := []string{"", "?gzip", "?cut", "?gzip&cut"}[i%4], openaiLimited
					wg.Go(func() {
						url := fmt.Sprintf("http://api.example/%d/messages%s", i, query)
						r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader("text"))
						if !assert.NoError(t, err) {
							return
						}
						resp, err := client.Do(r)
						if !assert.NoError(t, err) {
							return
						}
						got, err := io.ReadAll(resp.Body)
						if strings.Contains(query, "cut") {
							assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
							end = ""
						} else {
							assert.NoError(t, err)
						}
						assert.Equal(t, answer+end, string(got))
						assert.NoError(t, resp.Body.Close())
					})
				}
				wg.Wait()
				reasons := map[classify.Reason]int{}
				for _, e := range seen.ofKind(resilience.KindStream) {
					reasons[e.Result.Reason]++
				}
				cut := n/4*2 + max(n%4-2, 0)
				want := map[classify.Reason]int{classify.ReasonRateLimit: n - cut}
				if cut > 0 {
					want[classify.ReasonNetwork] = cut
				}
				assert.Equal(t, want, reasons)
				assert.Len(t, seen.ofKind(resilience.KindAttempt), 2*n)
				client.CloseIdleConnections()
				require.NoError(t, srv.Close())
			})
		})
	}
}

// HEAD and 204 have no body, whatever their headers say.
func TestTransport_StreamWithoutBody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			if r.Method == http.MethodGet {
				w.WriteHeader(http.StatusNoContent)
			}
		})}
		listener := newPipes()
		go func() { _ = srv.Serve(listener) }() // returns after Close
		client := &http.Client{Transport: resilience.NewTransport(&http.Transport{DialContext: listener.dial}, executor(t, enabled()))}
		start := time.Now()
		for _, method := range []string{http.MethodHead, http.MethodGet} {
			r, err := http.NewRequestWithContext(t.Context(), method, "http://api.example/", http.NoBody)
			require.NoError(t, err)
			resp, err := client.Do(r)
			require.NoError(t, err)
			assert.Equal(t, "text/event-stream", resp.Header.Get("Content-Type"))
			assert.Equal(t, http.NoBody, resp.Body)
			require.NoError(t, resp.Body.Close())
		}
		// A base transport can wrongly return a body for HEAD. This body must not be
		// read.
		base := roundTrip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Header: streamHeader, Body: io.NopCloser(readerFunc(func([]byte) (int, error) {
				t.Error("the body of a HEAD was read")
				return 0, io.EOF
			}))}, nil
		})
		_, err := resilience.NewTransport(base, executor(t, enabled())).RoundTrip(request(t, http.MethodHead, ""))
		require.NoError(t, err)
		assert.Zero(t, time.Since(start))
		client.CloseIdleConnections()
		require.NoError(t, srv.Close())
	})
}

// The size of the chunks changes neither the client's bytes nor the events.
func TestTransport_StreamProperty(t *testing.T) {
	t.Parallel()
	parts := []string{
		anthropicOverloaded, anthropicStart, openaiLimited, openaiChunk, googleUnavailable, ": ping\n\n", "\n", "\r\n", "\r", "data: a\n",
		"event: error\n", "data:{\"error\":\"e\"}", "\xef\xbb\xbf", "{\"error\":{}}", ollamaChunk, ollamaFailed, "\x00\xff", strings.Repeat("y", 1500), "data: ",
		bedrockLimited, bedrockFailed, bedrockChunk, bedrockChunk[:20], frame(strings.Repeat("z", 3000)),
	}
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 12).Draw(rt, "parts"), "")
		sizes := []int{1 << 20, rapid.IntRange(1, 50).Draw(rt, "piece")}
		header := rapid.SampledFrom([]http.Header{streamHeader, jsonHeader, linesHeader, frameHeader}).Draw(rt, "header")
		synctest.Test(t, func(t *testing.T) {
			var kinds [2][]resilience.Kind
			for i, size := range sizes {
				seen := new(events)
				base := roundTrip(func(*http.Request) (*http.Response, error) {
					body := bufio.NewReaderSize(strings.NewReader(text), 16)
					return &http.Response{StatusCode: 200, Header: header, Body: io.NopCloser(chunkReader{body, size}), ContentLength: -1}, nil
				})
				resp, err := resilience.NewTransport(base, executor(t, enabled(), resilience.WithObserver(seen.observe))).RoundTrip(request(t, http.MethodGet, ""))
				require.NoError(t, err)
				got, err := io.ReadAll(resp.Body)
				require.NoError(t, err)
				assert.Equal(t, text, string(got))
				for _, e := range seen.all {
					kinds[i] = append(kinds[i], e.Kind)
				}
			}
			assert.Equal(t, kinds[0], kinds[1])
		})
	})
}

// BenchmarkTransport_Stream compares the base transport with a Transport, with and
// without observers.
func BenchmarkTransport_Stream(b *testing.B) {
	text := anthropicStart + strings.Repeat(anthropicDelta, 2000)
	base := roundTrip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: streamHeader, Body: io.NopCloser(strings.NewReader(text)), ContentLength: -1}, nil
	})
	silent := resilience.NewTransport(base, executor(b, enabled()))
	observed := resilience.NewTransport(base, executor(b, enabled(), resilience.WithObserver(func(context.Context, resilience.Event) {})))
	for _, bb := range []struct {
		name      string
		transport http.RoundTripper
	}{{"base", base}, {"silent", silent}, {"observed", observed}} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			r := request(b, http.MethodGet, "")
			for b.Loop() {
				resp, err := bb.transport.RoundTrip(r)
				if err != nil {
					b.Fatal(err)
				}
				_, _ = io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{resp.Body}, make([]byte, 4096))
				_ = resp.Body.Close()
			}
		})
	}
}
