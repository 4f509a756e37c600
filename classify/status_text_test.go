package classify_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/classify"
)

// statusTexts are texts that contain an HTTP status, as people and programs write it.
var statusTexts = map[int][]string{
	400: {
		"the API rejected the request with a 400",
		"API returned 400",
		"got 400 response from Gemini",
	},
	401: {
		"the API returned a 401",
		"401 error",
		"GitHub returned 401",
		"401 response from the token endpoint",
		"the auth server answered 401",
		"got 401 from registry.example.com",
		"request failed: 401",
		"API call failed (401)",
	},
	403: {
		"received a 403 from upstream",
		"the bucket returned a 403",
		"403 error when listing pods",
		"S3 responded with 403",
		"server sent 403",
		"request failed with a 403 response",
	},
	404: {
		"the endpoint returned 404",
		"got a 404 for /v1/modelz",
		"404 from PyPI",
		"server says 404",
		"status 404 received from the repository",
	},
	408: {
		"the server responded with a 408",
	},
	409: {
		"the API returned a 409",
	},
	410: {
		"the endpoint answered 410",
	},
	413: {
		"nginx returned 413",
		"upload failed with HTTP 413",
	},
	415: {
		"server returned a 415",
	},
	422: {
		"GitHub API replied with 422",
		"received a 422 response",
	},
	429: {
		"We got a 429 from the API",
		"429 from OpenAI",
		"got 429 response",
		"We keep getting 429s from OpenAI",
		"the embedding service answered with 429",
		"Anthropic returned 429 on the third attempt",
		"status=429 model=gpt-4o took 312ms",
		"code: 429, retrying later",
		"request rejected by gateway: 429",
		"GET https://api.example.com/v1/models: 429",
		"got a 429, backing off",
		"429 response from upstream",
		"http_status=429",
		"received HTTP 429 from api.mistral.ai",
		"The API responded with a 429 error",
	},
	500: {
		"a 500 error occurred",
		"err=500",
		"server replied 500",
		"POST /v1/chat/completions returned 500",
		"failed with 500 from backend",
		"the webhook came back with a 500",
		"Internal error 500 from the billing API",
		"error 500 while calling the search API",
		"HTTP/1.1 500",
		"got a 500 page instead of JSON",
		"fetch failed with status code 500",
		"backend returned error code 500",
		"statusCode=500",
		"responseStatus: 500",
	},
	502: {
		"upstream 502",
		"Cloudflare 502",
		"502 from the load balancer",
		"the proxy replied with 502",
		"upstream returned 502",
		"bad answer from upstream (502)",
		"HTTP error 502",
		"gateway answered 502 to our request",
		"our ingress gave us a 502",
	},
	503: {
		"503 backend read error",
		"returned 503 response",
		"server answered 503",
		"while loading the index: 503",
		"503",
		"server is answering with 503",
		"envoy returned a 503 response",
		"HTTP/2 503",
		"origin responded 503",
		"received 503 response from registry",
		"http code 503",
		"S3 returned status 503",
		"we received a 503 from the model provider",
	},
	504: {
		"nginx 504",
		"504 error from the gateway",
		"the reverse proxy returned a 504",
		"upstream responded with status 504",
		"got HTTP status 504 from https://api.example.com",
	},
	529: {
		"Anthropic API returned 529",
		"Claude answered 529",
	},
}

// numberTexts are texts with other numbers, such as ports, sizes and versions.
var numberTexts = []string{
	":503",
	"500 items",
	"took 429ms",
	"order 502 not found",
	"row 504",
	"connect to 10.0.0.5:503 refused by policy",
	"listening on :502",
	"processed 500 items",
	"indexed 404 documents in 12 batches",
	"the call took 429ms",
	"the request took 503 ms",
	"response time 504ms",
	"order 502 not found",
	"order #404 has shipped",
	"row 504 is malformed",
	"line 500: stray bracket",
	"main.go:429",
	"main.go:503:12 undefined symbol",
	"page 404 of 612",
	"invoice 403 is overdue",
	"customer 401 has no address",
	"paid 500 EUR",
	"charged $429.00",
	"about 50.4 percent, 503 of 998",
	"version 4.0.4",
	"release 5.0.3-rc1",
	"node v500",
	"year 502 BC",
	"read 500 bytes",
	"wrote 502 bytes from the buffer",
	"got 500 rows from the database",
	"received 429 messages from the queue",
	"server returned 500 rows",
	"API returned 403 records",
	"the upstream sent 502 bytes",
	"backend returned 404 results",
	"got 503 items from the cache",
	"error 1064 near SELECT",
	"ERROR 1045 at row 500",
	"exit status 500",
	"process exited with code 404",
	"ORA-00500",
	"SQLSTATE 42P01 at position 429",
	"Windows error 502",
	"win32 error code 500",
	"room 404 is closed",
	"flight 502 is late",
	"429 tests failed",
	"503 tests passed",
	"retry 503 of 600",
	"attempt 429 of 500",
	"500 errors were found by the linter",
	"404 warnings, 0 errors",
	"job 500 finished",
	"build 503 failed",
	"ticket 429 was closed",
	"PR 404 was merged",
	"issue 500 is open",
	"user 403 logged out",
	"pid 503 is gone",
	"thread 429 stopped",
	"chapter 404",
	"step 502 done",
	"chunk 503 of 900 uploaded",
	"port 502 is in use",
	"queue depth is 503",
	"waited 500 seconds",
	"after 429 retries",
	"in 503 attempts",
	"temperature 401 K",
	"distance 500 km",
	"max 500 tokens",
	"the server has 503 clients",
	"API version 429",
	"the gateway has 502 routes",
	"server 503 is down for repair",
	"node 502 joined",
	"shard 504 moved",
	"proxy 403 starts",
	"upstream 10.0.0.503",
	"provider has 404 models",
	"error on line 429",
	"error at offset 503",
	"code block 500",
	"status of order 502 is open",
	"status of job 404: done",
	"received 401 of 500 parts",
	"got 400 points",
	"area code 503",
	"zip code 40429",
	"postal code 50000",
	"response of 500 bytes",
	"response size 502",
	"page size 500",
	"error rate 0.500",
	"error count 500",
	"error budget 429 minutes",
}

func TestStatusInText(t *testing.T) {
	t.Parallel()
	for status, texts := range statusTexts {
		want := classify.Standard.Classify(classify.Evidence{Status: status})
		for _, text := range texts {
			got := classify.Message(text)
			assert.Equal(t, status, got.Status, text)
			assert.Equal(t, want.Reason, got.Reason, text)
		}
	}
}

func TestNumberIsNoStatus(t *testing.T) {
	t.Parallel()
	for _, text := range numberTexts {
		got := classify.Message(text)
		assert.Zero(t, got.Status, text)
		assert.False(t, strings.HasPrefix(got.Rule, "http"), "%s: %s", text, got.Rule)
	}
}
