module github.com/errclass/errclass/modelerrors

go 1.26.0

require (
	github.com/errclass/errclass v0.1.0
	github.com/errclass/errclass/resilience v0.1.0
	github.com/stretchr/testify v1.12.1
	go.uber.org/goleak v1.3.0
	pgregory.net/rapid v1.3.0
)

require go.yaml.in/yaml/v3 v3.0.6 // indirect
