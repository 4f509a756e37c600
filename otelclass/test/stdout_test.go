package test_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/contrib/bridges/otelslog"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/stdout/stdoutlog"
	"go.opentelemetry.io/otel/exporters/stdout/stdouttrace"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/errclass/errclass/otelclass"
)

// jsonAttributes decodes attributes from the JSON that the exporters for standard
// output write.
type jsonAttributes []struct {
	Key   string
	Value struct{ Value any }
}

func (all jsonAttributes) classified(t *testing.T) string {
	attrs := map[string][]string{}
	for _, a := range all {
		text, _ := a.Value.Value.(string)
		attrs[a.Key] = append(attrs[a.Key], text)
	}
	return classified(t, attrs)
}

func TestStdoutTrace(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	exporter, err := stdouttrace.New(stdouttrace.WithWriter(&out))
	require.NoError(t, err)
	tracers := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(otelclass.NewSpanProcessor(sdktrace.NewSimpleSpanProcessor(exporter))))
	_, span := tracers.Tracer("test").Start(t.Context(), "failed")
	span.RecordError(errors.New("HTTP 401"))
	span.SetStatus(codes.Error, "")
	span.End()
	require.NoError(t, tracers.Shutdown(t.Context()))

	var got struct {
		Name       string
		Attributes jsonAttributes
		Events     []struct{ Attributes jsonAttributes }
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &got))
	assert.Equal(t, "failed", got.Name)
	assert.Equal(t, "fatal/authentication", got.Attributes.classified(t))
	require.Len(t, got.Events, 1)
	assert.Equal(t, "fatal/authentication", got.Events[0].Attributes.classified(t))
}

func TestStdoutLog(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	exporter, err := stdoutlog.New(stdoutlog.WithWriter(&out))
	require.NoError(t, err)
	loggers := sdklog.NewLoggerProvider(sdklog.WithProcessor(otelclass.NewLogProcessor(sdklog.NewSimpleProcessor(exporter))))
	slog.New(otelslog.NewHandler("test", otelslog.WithLoggerProvider(loggers))).Error("failed", "err", errors.New("HTTP 401"))
	require.NoError(t, loggers.Shutdown(t.Context()))

	var got struct{ Attributes jsonAttributes }
	require.NoError(t, json.Unmarshal(out.Bytes(), &got))
	assert.Equal(t, "fatal/authentication", got.Attributes.classified(t))
}
