package test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/go-logr/zapr"
	"github.com/rs/zerolog"
	"github.com/sirupsen/logrus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/stdout/stdoutlog"
	otellog "go.opentelemetry.io/otel/log"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"k8s.io/klog/v2"

	"github.com/errclass/errclass/internal/shapes"
)

var errRefused = fmt.Errorf("query: %w", errors.New("dial tcp 10.0.0.7:5432: connect: connection refused"))

// logger logs an error, an info record, and an error in a group. If the logger has no
// groups, the third record is missing.
type logger struct {
	shape string
	log   func(w io.Writer)
}

func zapLogger(w io.Writer, encoder zapcore.Encoder) *zap.Logger {
	return zap.New(zapcore.NewCore(encoder, zapcore.AddSync(w), zap.DebugLevel), zap.AddCaller(), zap.AddStacktrace(zap.ErrorLevel))
}

func withZap(newEncoder func(zapcore.EncoderConfig) zapcore.Encoder, c zapcore.EncoderConfig) func(io.Writer) {
	return func(w io.Writer) {
		l := zapLogger(w, newEncoder(c))
		l.Error("query failed", zap.Error(errRefused))
		l.Info("server started", zap.Int("port", 8080))
		l.With(zap.Namespace("job")).Error("job failed", zap.Error(errRefused))
	}
}

func withSlog(h func(io.Writer) slog.Handler) func(io.Writer) {
	return func(w io.Writer) {
		l := slog.New(h(w))
		l.Error("query failed", "err", errRefused)
		l.Info("server started", "port", 8080)
		l.Error("job failed", slog.Group("job", slog.Group("try", "error", errRefused)))
	}
}

func withLogrus(f logrus.Formatter) func(io.Writer) {
	return func(w io.Writer) {
		l := logrus.New()
		l.Out, l.Formatter = w, f
		l.WithError(errRefused).Error("query failed")
		l.Info("server started")
	}
}

func withZerolog(w io.Writer) {
	l := zerolog.New(w).With().Timestamp().Logger()
	l.Error().Err(errRefused).Msg("query failed")
	l.Info().Msg("server started")
	l.Error().Dict("job", zerolog.Dict().Err(errRefused)).Msg("job failed")
}

// withZapr logs with the keys of k8s.io/component-base/logs/json.
func withZapr(w io.Writer) {
	c := zapcore.EncoderConfig{MessageKey: "msg", CallerKey: "caller", NameKey: "logger", TimeKey: "ts", EncodeTime: zapcore.EpochMillisTimeEncoder, EncodeCaller: zapcore.ShortCallerEncoder}
	l := zapr.NewLoggerWithOptions(zapLogger(w, zapcore.NewJSONEncoder(c)).WithOptions(zap.AddStacktrace(zap.FatalLevel)), zapr.LogInfoLevel("v"), zapr.ErrorKey("err"))
	l.Error(errRefused, "query failed", "pod", "a")
	l.Info("server started")
	l.Error(errors.New("job failed"), "job failed", "job", map[string]string{"error": errRefused.Error()})
}

func withStdoutlog(w io.Writer) {
	exporter, err := stdoutlog.New(stdoutlog.WithWriter(w))
	if err != nil {
		panic(err) // the options are wrong
	}
	l := sdklog.NewLoggerProvider(sdklog.WithProcessor(sdklog.NewSimpleProcessor(exporter))).Logger("app")
	emit := func(s otellog.Severity, body string, attributes ...attribute.KeyValue) {
		var r otellog.Record
		r.SetSeverity(s)
		r.SetSeverityText(s.String())
		r.SetBody(attribute.StringValue(body))
		r.AddAttributes(attributes...)
		l.Emit(context.Background(), r)
	}
	emit(otellog.SeverityError, "query failed", attribute.String("exception.message", errRefused.Error()))
	emit(otellog.SeverityInfo, "server started")
}

func withKlog(w io.Writer) {
	set := flag.NewFlagSet("", flag.PanicOnError)
	klog.InitFlags(set)
	for _, f := range [][2]string{{"logtostderr", "false"}, {"one_output", "true"}, {"stderrthreshold", "10"}} {
		if err := set.Set(f[0], f[1]); err != nil {
			panic(err) // klog does not have the flag
		}
	}
	klog.SetOutput(w)
	klog.ErrorS(errRefused, "query failed", "pod", "a")
	klog.InfoS("server started")
	klog.Flush()
}

// TestLoggers checks that the lines of each logger are read.
func TestLoggers(t *testing.T) {
	const header = "slog, logrus"
	for name, l := range map[string]logger{
		"slog":        {header, withSlog(func(w io.Writer) slog.Handler { return slog.NewJSONHandler(w, nil) })},
		"slog text":   {"logfmt", withSlog(func(w io.Writer) slog.Handler { return slog.NewTextHandler(w, nil) })},
		"zap":         {"zap", withZap(zapcore.NewJSONEncoder, zap.NewProductionEncoderConfig())},
		"zap, dev":    {"zap, development keys", withZap(zapcore.NewJSONEncoder, zap.NewDevelopmentEncoderConfig())},
		"zerolog":     {"zerolog", withZerolog},
		"logrus":      {header, withLogrus(&logrus.JSONFormatter{})},
		"logrus data": {header, withLogrus(&logrus.JSONFormatter{DataKey: "data"})},
		"logrus text": {"logfmt", withLogrus(&logrus.TextFormatter{DisableColors: true})},
		"klog JSON":   {"klog, JSON", withZapr},
		"stdoutlog":   {"OpenTelemetry Go stdoutlog", withStdoutlog},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			l.log(&out)
			n := 0
			r := shapes.NewReader(nil)
			for line := range bytes.Lines(out.Bytes()) {
				require.True(t, r.Read(line, func(rec *shapes.Record) {
					assert.Equal(t, l.shape, rec.Shape.Name, "%s", line)
					assert.Equal(t, n != 1, rec.IsError(), "%s", line)
					_, timed := rec.Time()
					assert.True(t, timed || name == "stdoutlog", "%s", line)
					if n != 1 {
						assert.True(t, finds(rec, errRefused.Error()), "%s", line)
					}
				}), "%s", line)
				n++
			}
			assert.GreaterOrEqual(t, n, 2)
		})
	}
}

func finds(rec *shapes.Record, text string) (found bool) {
	rec.Sources(func(s shapes.Source) bool {
		found = strings.Contains(s.Message, text)
		return !found
	})
	return found
}

// TestTextLoggers checks that text lines of loggers are read.
func TestTextLoggers(t *testing.T) {
	for name, l := range map[string]logger{
		"klog":           {"klog", withKlog},
		"zap console":    {"zap console", withZap(zapcore.NewConsoleEncoder, zap.NewDevelopmentEncoderConfig())},
		"logrus console": {"logrus console", withLogrus(&logrus.TextFormatter{ForceColors: true})},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			l.log(&out)
			var events shapes.Events
			n := 0
			for line := range bytes.Lines(out.Bytes()) {
				if events.Add(bytes.TrimSuffix(line, []byte("\n"))) {
					continue
				}
				e := events.Event()
				require.NotNil(t, e.Shape, "%s", line)
				assert.Equal(t, l.shape, e.Shape.Name)
				assert.Equal(t, n != 1, e.Severity == shapes.Error, "%s", line)
				n++
			}
			assert.GreaterOrEqual(t, n, 2)
		})
	}
}
