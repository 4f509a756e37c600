package compat_test

import (
	"bytes"
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
)

// bedrockClient returns a client of AWS Bedrock. The tests use no other AWS client,
// because all AWS clients have the same error types (package smithy-go).
func bedrockClient(url string, client *http.Client, opts ...func(*bedrockruntime.Options)) *bedrockruntime.Client {
	return bedrockruntime.New(bedrockruntime.Options{
		BaseEndpoint: &url, HTTPClient: client, Region: "eu-central-1", Retryer: aws.NopRetryer{},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "AKIANONE", SecretAccessKey: "none"}, nil
		}),
	}, opts...)
}

var (
	bedrockModel    = aws.String("anthropic.claude-sonnet-4-5-v1:0")
	bedrockMessages = []types.Message{{
		Role: types.ConversationRoleUser, Content: []types.ContentBlock{&types.ContentBlockMemberText{Value: "hello"}},
	}}
)

func callBedrock(ctx context.Context, url string, client *http.Client) error {
	_, err := bedrockClient(url, client).Converse(ctx, &bedrockruntime.ConverseInput{ModelId: bedrockModel, Messages: bedrockMessages})
	return err
}

func streamBedrock(ctx context.Context, url string, client *http.Client) error {
	out, err := bedrockClient(url, client).ConverseStream(ctx, &bedrockruntime.ConverseStreamInput{ModelId: bedrockModel, Messages: bedrockMessages})
	if err != nil {
		return err
	}
	s := out.GetStream()
	for range s.Events() {
	}
	err = s.Err()
	_ = s.Close()
	return err
}

func TestAWSTransport(t *testing.T) {
	t.Parallel()
	transportFailures(t, callBedrock)
	garbledAnswers(t, callBedrock)
}

// awsError returns an error response. The code is in a header, the message in the
// body.
func awsError(status int, code, message string, more ...string) answer {
	return answer{status, header(append([]string{"X-Amzn-Errortype", code + ":http://internal.amazon.com/coral/com.amazon.bedrock/", "X-Amzn-Requestid", "7e1d"}, more...)...),
		`{"message":"` + message + `"}`}
}

// awsAnswers has the exceptions of Bedrock (types/errors.go) and AWS
// (https://docs.aws.amazon.com/general/latest/gr/CommonErrors.html).
var awsAnswers = []struct {
	name   string
	answer answer
	want   want
}{
	{"validation", awsError(400, "ValidationException", "The provided model identifier is invalid."), want{reason: classify.ReasonInvalidRequest}},
	{"too long", awsError(400, "ValidationException", "Input is too long for requested model."), want{reason: classify.ReasonContextOverflow}},
	{"too long, in the model's words", awsError(400, "ValidationException", "The model returned the following errors: prompt is too long: 208310 tokens > 200000 maximum"), want{reason: classify.ReasonContextOverflow}},
	{"quota", awsError(400, "ServiceQuotaExceededException", "Your request exceeds the service quota for your account."), want{reason: classify.ReasonBudgetExceeded}},
	{"no access", awsError(403, "AccessDeniedException", "You don't have access to the model with the specified model ID."), want{reason: classify.ReasonAuthentication}},
	{"unknown key", awsError(403, "UnrecognizedClientException", "The security token included in the request is invalid."), want{reason: classify.ReasonAuthentication}},
	{"expired token", awsError(403, "ExpiredTokenException", "The security token included in the request is expired"), want{reason: classify.ReasonAuthentication}},
	{"signature", awsError(403, "InvalidSignatureException", "The request signature we calculated does not match the signature you provided."), want{reason: classify.ReasonAuthentication}},
	{"no such model", awsError(404, "ResourceNotFoundException", "Could not resolve the foundation model from the provided model identifier."), want{reason: classify.ReasonInvalidRequest}},
	{"model timeout", awsError(408, "ModelTimeoutException", "Model has timed out in processing the request. Try your request again."), want{reason: classify.ReasonTimeout}},
	{"conflict", awsError(409, "ConflictException", "The request conflicts with another."), want{reason: classify.ReasonInvalidRequest}},
	{"model error", awsError(424, "ModelErrorException", "The system encountered an unexpected error during processing. Try your request again."), want{reason: classify.ReasonTransient}},
	{"throttling", awsError(429, "ThrottlingException", "Too many requests, please wait before trying again."), want{reason: classify.ReasonRateLimit}},
	{"throttling with a hint", awsError(429, "ThrottlingException", "Too many tokens, please wait before trying again.", "Retry-After", "7"), want{reason: classify.ReasonRateLimit, wait: 7 * time.Second}},
	{"tokens of a day", awsError(429, "ThrottlingException", "Too many tokens per day, please wait before trying again."), want{reason: classify.ReasonBudgetExceeded}},
	{"throttling at 400", awsError(400, "ThrottlingException", "Rate exceeded"), want{reason: classify.ReasonRateLimit}},
	{"throttling at 503", awsError(503, "SlowDown", "Please reduce your request rate."), want{reason: classify.ReasonRateLimit}},
	{"model not ready", awsError(429, "ModelNotReadyException", "The model specified in the request is not ready to serve inference requests."), want{reason: classify.ReasonTransient}},
	{"internal", awsError(500, "InternalServerException", "The system encountered an unexpected error during processing. Try your request again."), want{reason: classify.ReasonTransient}},
	{"unavailable", awsError(503, "ServiceUnavailableException", "Bedrock is unable to process your request."), want{reason: classify.ReasonTransient}},
	{"request too old", awsError(403, "RequestExpired", "Request has expired."), want{reason: classify.ReasonAuthentication}},
	{"a page, 502", errorPage(502), want{reason: classify.ReasonTransient}},
	{"a page, 504", errorPage(504), want{reason: classify.ReasonTimeout}},
	{"a page, 413", errorPage(413), want{reason: classify.ReasonInvalidRequest}},
	{"no body, 401", answer{status: 401}, want{reason: classify.ReasonAuthentication}},
	{"no body, 402", answer{status: 402}, want{reason: classify.ReasonBudgetExceeded}},
	{"no body, 429", answer{status: 429}, want{reason: classify.ReasonRateLimit}},
	{"no body, 529", answer{status: 529}, want{reason: classify.ReasonTransient}},
	{"a gateway's 500 around a bad key", answer{500, nil, `{"message":"upstream: The security token included in the request is invalid."}`}, want{reason: classify.ReasonAuthentication}},
}

func TestAWSAnswers(t *testing.T) {
	t.Parallel()
	for _, tt := range awsAnswers {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.want.status = tt.answer.status
			url, client := serve(t, tt.answer)
			check(t, callBedrock(t.Context(), url, client), tt.want)
		})
	}
}

// TestAWSRetried uses the SDK's own retryer, without pauses. The retryer wraps the
// last error.
func TestAWSRetried(t *testing.T) {
	t.Parallel()
	url, client := serve(t, awsError(503, "ServiceUnavailableException", "Bedrock is unable to process your request."))
	c := bedrockClient(url, client, func(o *bedrockruntime.Options) {
		o.Retryer = retry.NewStandard(func(o *retry.StandardOptions) {
			o.MaxAttempts = 2
			o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
		})
	})
	_, err := c.Converse(t.Context(), &bedrockruntime.ConverseInput{ModelId: bedrockModel, Messages: bedrockMessages})
	require.ErrorContains(t, err, "exceeded maximum number of attempts")
	check(t, err, want{reason: classify.ReasonTransient, status: 503})
}

func TestAWSCredentials(t *testing.T) {
	t.Parallel()
	url, client := serve(t, hang(false))
	c := bedrockClient(url, client, func(o *bedrockruntime.Options) {
		o.Credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{}, &missingCredentials{}
		})
	})
	_, err := c.Converse(t.Context(), &bedrockruntime.ConverseInput{ModelId: bedrockModel, Messages: bedrockMessages})
	check(t, err, want{reason: classify.ReasonAuthentication})
}

// missingCredentials is the error of a credentials provider that has found no
// credentials.
type missingCredentials struct{}

func (*missingCredentials) Error() string { return "no EC2 IMDS role found" }

// TestAWSInput makes requests that the SDK refuses to send.
func TestAWSInput(t *testing.T) {
	t.Parallel()
	url, client := serve(t, hang(false))
	_, err := bedrockClient(url, client).Converse(t.Context(), &bedrockruntime.ConverseInput{})
	check(t, err, want{reason: classify.ReasonInvalidRequest})
}

// eventStream encodes an exception as an event stream message.
func eventStream(t *testing.T, code, message string) answer {
	t.Helper()
	var body bytes.Buffer
	msg := eventstream.Message{Payload: []byte(`{"message":"` + message + `"}`)}
	msg.Headers.Set(":message-type", eventstream.StringValue("exception"))
	msg.Headers.Set(":exception-type", eventstream.StringValue(code))
	msg.Headers.Set(":content-type", eventstream.StringValue("application/json"))
	require.NoError(t, eventstream.NewEncoder().Encode(&body, msg))
	return answer{http.StatusOK, header("Content-Type", "application/vnd.amazon.eventstream"), body.String()}
}

func TestAWSStream(t *testing.T) {
	t.Parallel()
	garbled := answer{http.StatusOK, header("Content-Type", "application/vnd.amazon.eventstream"), "so it goes, and goes on"}
	for _, tt := range []struct {
		name   string
		answer answer
		want   want
	}{
		{"throttling", eventStream(t, "throttlingException", "Too many requests, please wait before trying again."), want{reason: classify.ReasonRateLimit}},
		{"unavailable", eventStream(t, "serviceUnavailableException", "Bedrock is unable to process your request."), want{reason: classify.ReasonTransient}},
		{"internal", eventStream(t, "internalServerException", "The system encountered an unexpected error during processing."), want{reason: classify.ReasonTransient}},
		{"model", eventStream(t, "modelStreamErrorException", "The system encountered an unexpected error during processing."), want{reason: classify.ReasonTransient}},
		{"too long", eventStream(t, "validationException", "Input is too long for requested model."), want{reason: classify.ReasonContextOverflow}},
		{"no frame", garbled, want{reason: classify.ReasonParsing}},
		{"status", awsError(429, "ThrottlingException", "Too many requests."), want{reason: classify.ReasonRateLimit, status: 429}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			url, client := serve(t, tt.answer)
			check(t, streamBedrock(t.Context(), url, client), tt.want)
		})
	}
}
