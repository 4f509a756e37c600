module github.com/errclass/errclass/supervise/mcptest

go 1.26.0

require (
	github.com/errclass/errclass v0.1.0
	github.com/errclass/errclass/resilience v0.1.0
	github.com/errclass/errclass/supervise v0.1.0
	github.com/modelcontextprotocol/go-sdk v1.8.0
	github.com/stretchr/testify v1.12.1
	go.uber.org/goleak v1.3.0
)

require (
	github.com/google/jsonschema-go v0.4.3 // indirect
	github.com/hashicorp/go-version v1.9.0 // indirect
	github.com/segmentio/asm v1.1.3 // indirect
	github.com/segmentio/encoding v0.5.4 // indirect
	github.com/yosida95/uritemplate/v3 v3.0.2 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
	golang.org/x/oauth2 v0.35.0 // indirect
	golang.org/x/sync v0.23.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/time v0.15.0 // indirect
)

replace (
	github.com/errclass/errclass => ../..
	github.com/errclass/errclass/resilience => ../../resilience
	github.com/errclass/errclass/supervise => ..
)
