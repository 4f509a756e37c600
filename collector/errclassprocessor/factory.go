package errclassprocessor

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processorhelper"

	"github.com/errclass/errclass/collector/errclassprocessor/internal/metadata"
)

// NewFactory returns the factory of the processor.
func NewFactory() processor.Factory {
	return processor.NewFactory(
		metadata.Type,
		createDefaultConfig,
		processor.WithLogs(createLogs, metadata.LogsStability),
		processor.WithTraces(createTraces, metadata.TracesStability),
	)
}

var capabilities = consumer.Capabilities{MutatesData: true}

func createLogs(ctx context.Context, set processor.Settings, cfg component.Config, next consumer.Logs) (processor.Logs, error) {
	p := newProcessor(cfg.(*Config))
	return processorhelper.NewLogs(ctx, set, cfg, next, p.logs, processorhelper.WithCapabilities(capabilities))
}

func createTraces(ctx context.Context, set processor.Settings, cfg component.Config, next consumer.Traces) (processor.Traces, error) {
	p := newProcessor(cfg.(*Config))
	return processorhelper.NewTraces(ctx, set, cfg, next, p.traces, processorhelper.WithCapabilities(capabilities))
}
