package shapes

// Common has the paths that are read in every JSON line and logfmt line. The paths
// of the line's own shape are tried before the paths of Common.
var Common = Shape{
	Name: "common",
	Levels: []Level{
		{"level", pinoScale}, {"severity", pinoScale}, {"lvl", pinoScale}, {"PRIORITY", syslogScale},
	},
	Errors:  []string{"error", "err", "exception.message", "stderr"},
	Message: []string{"msg", "message", "MESSAGE", "log", "event"},
	Types:   []string{"exception.type"},
	Stacks:  []string{"exception.stacktrace", "stack"},
	Status:  []string{"status", "status_code", "http.response.status_code"},
	Times:   []string{"time", "ts", "timestamp", "@timestamp", "__REALTIME_TIMESTAMP"},
}

// OTLPRecord is the shape of one log record in OTLP JSON.
var OTLPRecord = Shape{
	Name: "OTLP record", Source: "opentelemetry-proto v1.7.0, logs.proto and the JSON encoding of OTLP 1.7.0",
	Levels:     []Level{{"severityNumber", otelScale}, {"severityText", pinoScale}},
	Message:    []string{"body"},
	Codes:      []string{"error.type"},
	Times:      []string{"timeUnixNano", "observedTimeUnixNano"},
	Attributes: "attributes",
	Carrier:    true,
}

// Table lists the shapes of JSON lines. A more specific shape comes before a less
// specific one.
var Table = []Shape{
	// These are the shapes of collectors and container runtimes.
	{
		Name: "OTLP JSON", Source: OTLPRecord.Source,
		Needs: []string{"resourceLogs"}, Records: "resourceLogs/scopeLogs/logRecords",
	},
	{
		Name: "OTLP JSON (OpenTelemetry Java's exporter)", Source: "opentelemetry-java OtlpJsonLoggingLogRecordExporter: one ResourceLogs a line",
		Needs: []string{"scopeLogs"}, Records: "scopeLogs/logRecords",
	},
	{
		Name: "OpenTelemetry Go stdoutlog", Source: "go.opentelemetry.io/otel/exporters/stdout/stdoutlog v0.23.0",
		Needs:      []string{"Severity", "Body"},
		Levels:     []Level{{"Severity", otelScale}, {"SeverityText", pinoScale}},
		Message:    []string{"Body"},
		Codes:      []string{"error.type"},
		Times:      []string{"Timestamp", "ObservedTimestamp"},
		Attributes: "Attributes",
		Carrier:    true,
	},
	{
		Name: "OpenTelemetry Python ConsoleLogExporter", Source: "opentelemetry-sdk 1.36 LogRecord.to_json, with indent None",
		Needs:   []string{"severity_number", "body"},
		Levels:  []Level{{"severity_number", otelScale}, {"severity_text", pinoScale}},
		Errors:  []string{"attributes/exception.message"},
		Message: []string{"body"},
		Codes:   []string{"attributes/error.type"},
		Types:   []string{"attributes/exception.type"},
		Stacks:  []string{"attributes/exception.stacktrace"},
		Times:   []string{"timestamp", "observed_timestamp"},
	},
	{
		Name: "journald", Source: "systemd 252, journalctl -o json",
		Needs:   []string{"MESSAGE"},
		Levels:  []Level{{"PRIORITY", syslogScale}},
		Message: []string{"MESSAGE"},
		Times:   []string{"__REALTIME_TIMESTAMP"},
		Carrier: true,
	},
	{
		Name: "docker json-file", Source: "https://docs.docker.com/engine/logging/drivers/json-file/",
		Needs: []string{"log", "stream"}, // Fluent Bit adds more members
		// The level is that of the log line in the message.
		Message: []string{"log"},
		Times:   []string{"time"},
		Stream:  "stream",
		Carrier: true,
	},

	// Clouds.
	{
		Name: "Google Cloud LogEntry", Source: "https://cloud.google.com/logging/docs/reference/v2/rest/v2/LogEntry",
		Needs:   []string{"severity"},
		Any:     []string{"jsonPayload", "textPayload", "protoPayload"},
		Levels:  []Level{{"severity", pinoScale}},
		Errors:  []string{"jsonPayload/error", "jsonPayload/err", "jsonPayload/exception", "jsonPayload/stack_trace", "protoPayload/status"},
		Message: []string{"textPayload", "jsonPayload/message", "jsonPayload/msg"},
		Status:  []string{"httpRequest/status"},
		Times:   []string{"timestamp", "receiveTimestamp"},
		Carrier: true,
	},
	{
		Name: "Google Cloud structured logging, log4j2 GcpLayout", Source: "https://cloud.google.com/logging/docs/structured-logging",
		Needs:   []string{"severity", "message"},
		Any:     []string{"@type", "stack_trace", "httpRequest", "serviceContext", "_exception", "logging.googleapis.com/trace", "logging.googleapis.com/sourceLocation", "logging.googleapis.com/labels", "logging.googleapis.com/insertId"},
		Levels:  []Level{{"severity", pinoScale}},
		Errors:  []string{"_exception", "exception", "stack_trace"},
		Message: []string{"message"},
		Status:  []string{"httpRequest/status"},
		Times:   []string{"time", "timestamp"},
	},
	{
		Name: "Azure Monitor resource logs", Source: "https://learn.microsoft.com/azure/azure-monitor/platform/resource-logs-schema",
		Needs:   []string{"operationName", "category"},
		Levels:  []Level{{"level", etwScale}, {"Level", etwScale}},
		Errors:  []string{"properties/exception", "properties/error", "properties/errorMessage", "resultDescription"},
		Message: []string{"properties/message", "properties/Message", "properties/log", "properties/statusMessage"},
		Codes:   []string{"properties/errorCode", "resultType"},
		Status:  []string{"properties/httpStatusCode", "resultSignature"},
		Times:   []string{"time"},
		Carrier: true,
	},
	{
		Name: "Azure Application Insights", Source: "https://learn.microsoft.com/azure/azure-monitor/reference/tables/apptraces and appexceptions",
		Needs:   []string{"SeverityLevel"},
		Levels:  []Level{{"SeverityLevel", insightsScale}},
		Errors:  []string{"InnermostMessage", "OuterMessage"},
		Message: []string{"Message"},
		Codes:   []string{"InnermostType", "ExceptionType"},
		Times:   []string{"TimeGenerated"},
	},
	{
		Name: "AWS Lambda platform event", Source: "https://docs.aws.amazon.com/lambda/latest/dg/telemetry-schema-reference.html",
		Needs:  []string{"time", "type", "record"},
		Levels: []Level{{"record/status", lambdaScale}},
		// errorType is a name such as Runtime.ExitError.
		Errors:  []string{"record/errorType"},
		Message: []string{"record/status"},
		Times:   []string{"time"},
	},
	{
		Name: "AWS Lambda, application log", Source: "https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-logformat.html",
		Needs:   []string{"level", "message", "timestamp"},
		Any:     []string{"requestId", "AWSRequestId"},
		Levels:  []Level{{"level", pinoScale}},
		Errors:  []string{"errorMessage", "message/errorMessage"},
		Message: []string{"message"},
		Codes:   []string{"errorType", "message/errorType"},
		Stacks:  []string{"stackTrace", "message/stackTrace"},
		Times:   []string{"timestamp"},
		Carrier: true,
	},
	{
		Name: "AWS Lambda, unhandled error", Source: "https://docs.aws.amazon.com/lambda/latest/dg/nodejs-exceptions.html",
		Needs:  []string{"errorType", "errorMessage"},
		Errors: []string{"errorMessage"},
		Codes:  []string{"code", "errorType"},
		Stacks: []string{"stack", "trace", "stackTrace"},
	},
	{
		Name: "AWS Lambda Powertools", Source: "https://docs.powertools.aws.dev/lambda/python/latest/core/logger/",
		Needs:   []string{"level", "location", "message"},
		Levels:  []Level{{"level", pinoScale}},
		Errors:  []string{"exception"},
		Message: []string{"message"},
		Codes:   []string{"exception_name"},
		Times:   []string{"timestamp"},
	},

	// Servers.
	{
		Name: "Postgres jsonlog", Source: "PostgreSQL 15.18, log_destination = jsonlog",
		Needs:   []string{"error_severity"},
		Levels:  []Level{{"error_severity", pinoScale}},
		Message: []string{"message"},
		Codes:   []string{"state_code"},
		Times:   []string{"timestamp"},
	},
	{
		Name: "MongoDB", Source: "https://www.mongodb.com/docs/manual/reference/log-messages/",
		Needs:   []string{"t", "s", "c", "msg"},
		Levels:  []Level{{"s", mongoScale}},
		Errors:  []string{"attr/error", "attr/err", "attr/exception", "attr/reason"},
		Message: []string{"msg"},
		Codes:   []string{"attr/error/codeName"},
		Times:   []string{"t/$date"},
	},
	{
		Name: "Elasticsearch 7", Source: "https://www.elastic.co/guide/en/elasticsearch/reference/7.17/logging.html",
		Needs:   []string{"type", "timestamp", "level", "component", "message"},
		Levels:  []Level{{"level", pinoScale}},
		Errors:  []string{"stacktrace"},
		Message: []string{"message"},
		Times:   []string{"timestamp"},
	},

	// These are the shapes of the JVM and of loggers that use the same keys.
	{
		Name: "ECS, dotted and nested", Source: "@elastic/ecs-pino-format 1.5.0, @elastic/ecs-winston-format 1.5.3, https://www.elastic.co/docs/reference/ecs",
		Needs:   []string{"@timestamp"},
		Any:     []string{"log.level", "log", "ecs.version", "ecs", "error.message", "error.stack_trace"},
		Levels:  []Level{{"log.level", pinoScale}, {"log/level", pinoScale}},
		Errors:  []string{"error.message", "error"},
		Message: []string{"message"},
		Codes:   []string{"error.code", "error.type"},
		Stacks:  []string{"error.stack_trace"},
		Status:  []string{"http.response.status_code", "http/response/status_code"},
		Times:   []string{"@timestamp"},
	},
	{
		Name: "logstash: logback, log4j2 and others", Source: "logstash-logback-encoder 7.2; log4j2 LogstashJsonEventLayoutV1",
		Needs:   []string{"@timestamp", "@version", "message"},
		Levels:  []Level{{"level", pinoScale}},
		Errors:  []string{"exception", "stack_trace"},
		Message: []string{"message"},
		Times:   []string{"@timestamp"},
	},
	{
		Name: "log4j2 JsonLayout and JsonTemplateLayout", Source: "log4j-core 2.19.0",
		Needs:   []string{"level", "loggerName", "message"},
		Any:     []string{"instant", "timeMillis"},
		Levels:  []Level{{"level", pinoScale}},
		Errors:  []string{"thrown"},
		Message: []string{"message"},
		Times:   []string{"timeMillis", "instant/epochSecond"},
	},
	{
		Name: "logback JsonEncoder", Source: "https://logback.qos.ch/manual/encoders.html#JsonEncoder",
		Needs:   []string{"level", "threadName", "loggerName", "message"},
		Levels:  []Level{{"level", pinoScale}},
		Errors:  []string{"throwable", "exception"},
		Message: []string{"formattedMessage", "message"},
		Times:   []string{"timestamp"},
	},
	{
		Name: "GELF", Source: "https://go2docs.graylog.org/current/getting_in_log_data/gelf.html",
		Needs:   []string{"version", "host", "short_message"},
		Levels:  []Level{{"level", syslogScale}},
		Errors:  []string{"_exception", "_error"},
		Message: []string{"short_message"},
		Stacks:  []string{"full_message", "_stack_trace"},
		Times:   []string{"timestamp"},
		Default: Below, // the default of GELF is 1, alert, but loggers leave out the level of other lines
	},

	// .NET.
	{
		Name: "Serilog CLEF", Source: "https://clef-json.org",
		Needs:   []string{"@t"},
		Any:     []string{"@m", "@mt", "@l", "@x", "@i"},
		Levels:  []Level{{"@l", pinoScale}},
		Errors:  []string{"@x"},
		Message: []string{"@m", "@mt"},
		Times:   []string{"@t"},
		Default: Below, // a line without @l is Information
	},
	{
		Name: "Serilog JsonFormatter", Source: "https://github.com/serilog/serilog/wiki/Formatting-Output",
		Needs:   []string{"Timestamp", "Level", "MessageTemplate"},
		Levels:  []Level{{"Level", pinoScale}},
		Errors:  []string{"Exception"},
		Message: []string{"RenderedMessage", "MessageTemplate"},
		Times:   []string{"Timestamp"},
	},
	{
		Name: ".NET JSON console", Source: "https://learn.microsoft.com/dotnet/core/extensions/console-log-formatter#json",
		Needs:   []string{"LogLevel", "Category"},
		Levels:  []Level{{"LogLevel", dotnetScale}},
		Errors:  []string{"Exception"},
		Message: []string{"Message"},
		Times:   []string{"Timestamp"},
	},

	// Python.
	{
		Name: "python-json-logger", Source: "python-json-logger 2.0.1",
		Needs:   []string{"message"},
		Any:     []string{"levelname", "exc_info", "exc_text"},
		Levels:  []Level{{"levelname", pythonScale}, {"levelno", pythonScale}},
		Errors:  []string{"exc_info", "exc_text"},
		Message: []string{"message"},
		Times:   []string{"asctime", "created"},
	},
	{
		Name: "loguru", Source: "loguru 0.6.0, serialize=True",
		Needs:   []string{"text", "record"},
		Levels:  []Level{{"record/level/no", pythonScale}},
		Errors:  []string{"record/exception"},
		Message: []string{"record/message"},
		Stacks:  []string{"text"},
		Times:   []string{"record/time/timestamp"},
	},
	{
		Name: "structlog", Source: "structlog 22.3.0, JSONRenderer",
		Needs:   []string{"event"},
		Any:     []string{"level", "log_level", "exception"},
		Levels:  []Level{{"level", pinoScale}, {"log_level", pinoScale}, {"level_number", pythonScale}},
		Errors:  []string{"exception", "exc_info"},
		Message: []string{"event"},
		Times:   []string{"timestamp"},
	},

	// PHP and Ruby.
	{
		Name: "monolog", Source: "monolog 2.9.1, JsonFormatter",
		Needs:   []string{"message", "channel", "level_name"},
		Levels:  []Level{{"level", monologScale}, {"level_name", pinoScale}},
		Errors:  []string{"context/exception", "context/error"},
		Message: []string{"message"},
		Times:   []string{"datetime"},
	},
	{
		Name: "semantic_logger", Source: "https://logger.rocketjob.io/appenders.html (JSON)",
		Needs:   []string{"level", "level_index", "name"},
		Levels:  []Level{{"level", pinoScale}, {"level_index", semanticScale}},
		Errors:  []string{"exception"},
		Message: []string{"message"},
		Times:   []string{"timestamp"},
	},

	// Rust.
	{
		Name: "tracing-subscriber (Rust)", Source: "https://docs.rs/tracing-subscriber/latest/tracing_subscriber/fmt/format/struct.Json.html",
		Needs:   []string{"level", "fields", "target"},
		Levels:  []Level{{"level", pinoScale}},
		Errors:  []string{"fields/error", "fields/err", "fields/exception.message"},
		Message: []string{"fields/message"},
		Status:  []string{"fields/status", "fields/http.status_code"},
		Times:   []string{"timestamp"},
	},

	// Node.
	{
		Name: "bunyan", Source: "bunyan 2.0.5",
		Needs:   []string{"name", "hostname", "pid", "level", "v"},
		Levels:  []Level{{"level", pinoScale}},
		Errors:  []string{"err"},
		Message: []string{"msg"},
		Status:  []string{"res/statusCode"},
		Times:   []string{"time"},
	},
	{
		Name: "pino", Source: "pino 10.4.0",
		Needs:   []string{"level", "time", "pid", "hostname"},
		Levels:  []Level{{"level", pinoScale}},
		Errors:  []string{"err"},
		Message: []string{"msg"},
		Status:  []string{"res/statusCode"},
		Times:   []string{"time"},
	},
	{
		Name: "winston", Source: "winston 3.19.0, format.json",
		Needs:   []string{"level", "message"},
		Any:     []string{"stack", "timestamp"},
		Levels:  []Level{{"level", pinoScale}},
		Errors:  []string{"error"},
		Message: []string{"message"},
		Codes:   []string{"code"},
		Stacks:  []string{"stack"},
		Times:   []string{"timestamp"},
	},

	// Go.
	{
		Name: "zap", Source: "go.uber.org/zap v1.28.0, NewProduction",
		Needs:   []string{"level", "ts", "msg"},
		Levels:  []Level{{"level", pinoScale}},
		Errors:  []string{"error"},
		Message: []string{"msg"},
		Times:   []string{"ts"}, // the stacktrace of zap shows where the program logged, not an error
	},
	{
		Name: "zap, development keys", Source: "go.uber.org/zap v1.28.0, NewDevelopmentEncoderConfig",
		Needs:   []string{"L", "M"},
		Levels:  []Level{{"L", pinoScale}},
		Errors:  []string{"error"},
		Message: []string{"M"},
		Times:   []string{"T"},
	},
	{
		Name: "zerolog", Source: "github.com/rs/zerolog v1.35.1",
		Needs:   []string{"level", "time", "message"},
		Levels:  []Level{{"level", pinoScale}},
		Errors:  []string{"error"},
		Message: []string{"message"},
		Times:   []string{"time"},
	},
	{
		Name: "slog, logrus", Source: "log/slog of Go 1.26; github.com/sirupsen/logrus v1.10.2",
		Needs:   []string{"time", "level", "msg"},
		Levels:  []Level{{"level", pinoScale}},
		Errors:  []string{"error", "err"},
		Message: []string{"msg"},
		Times:   []string{"time"},
	},
	{
		Name: "klog, JSON", Source: "github.com/go-logr/zapr v1.3.0 with the keys of k8s.io/component-base/logs/json",
		Needs:   []string{"ts", "msg"},
		Any:     []string{"v", "err"},
		Levels:  []Level{{"v", verbosityScale}}, // a line without v is an error
		Errors:  []string{"err"},
		Message: []string{"msg"},
		Times:   []string{"ts"},
	},
	{
		Name: "hclog", Source: "https://pkg.go.dev/github.com/hashicorp/go-hclog",
		Needs:   []string{"@level", "@message"},
		Levels:  []Level{{"@level", pinoScale}},
		Errors:  []string{"error", "err"},
		Message: []string{"@message"},
		Times:   []string{"@timestamp"},
	},
}
