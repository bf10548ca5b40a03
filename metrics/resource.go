package metrics

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
)

// describe says what sends the telemetry: this program, unless OTEL_SERVICE_NAME
// or OTEL_RESOURCE_ATTRIBUTES say otherwise.
func describe(ctx context.Context, version string) (*resource.Resource, error) {
	own := resource.NewSchemaless(attribute.String("service.name", "iiifd"), attribute.String("service.version", version))
	fromEnv, err := resource.New(ctx, resource.WithFromEnv(), resource.WithTelemetrySDK())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	merged, err := resource.Merge(own, fromEnv)
	if err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	return merged, nil
}
