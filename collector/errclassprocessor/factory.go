package errclassprocessor

import (
	"context"
	"slices"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
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

func createLogs(ctx context.Context, set processor.Settings, config component.Config, next consumer.Logs) (processor.Logs, error) {
	cfg := config.(*Config)
	if !slices.Contains(cfg.Signals, signalLogs) {
		return processorhelper.NewLogs(ctx, set, cfg, next, passLogs, readsOnly)
	}
	p, err := newProcessor(set, cfg, signalLog)
	if err != nil {
		return nil, err
	}
	return processorhelper.NewLogs(ctx, set, cfg, next, p.logs, p.options()...)
}

func createTraces(ctx context.Context, set processor.Settings, config component.Config, next consumer.Traces) (processor.Traces, error) {
	cfg := config.(*Config)
	if !slices.Contains(cfg.Signals, signalTraces) {
		return processorhelper.NewTraces(ctx, set, cfg, next, passTraces, readsOnly)
	}
	p, err := newProcessor(set, cfg, signalSpan)
	if err != nil {
		return nil, err
	}
	return processorhelper.NewTraces(ctx, set, cfg, next, p.traces, p.options()...)
}

// readsOnly is the option for a processor that changes no batch. The Collector then
// need not copy batches.
var readsOnly = processorhelper.WithCapabilities(consumer.Capabilities{MutatesData: false})

func passLogs(_ context.Context, ld plog.Logs) (plog.Logs, error) { return ld, nil }

func passTraces(_ context.Context, td ptrace.Traces) (ptrace.Traces, error) { return td, nil }

// options returns the options for package processorhelper.
func (p *errclassProcessor) options() []processorhelper.Option {
	return []processorhelper.Option{
		processorhelper.WithCapabilities(consumer.Capabilities{MutatesData: true}),
		processorhelper.WithStart(p.start),
		processorhelper.WithShutdown(p.shutdown),
	}
}
